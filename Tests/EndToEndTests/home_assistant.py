#!/usr/bin/env python3
"""Starts Home Assistant's core with its MQTT integration and prints the entities that it makes from messages.

  home_assistant.py HOST:PORT [SECONDS [EXPECTED]]

Needs homeassistant 2025.4.4 and paho-mqtt 2.1.0 (PyPI, Python 3.13). Prints each entity that exists with its
state and unit, the number of warnings and errors of the MQTT integration, and ends with 1 where there are any.
EXPECTED is a JSON file: the state that each unique_id must have; no other entity of MQTT may exist.
"""
import asyncio
import json
import logging
import sys
import tempfile
from pathlib import Path
from types import MappingProxyType

from homeassistant import bootstrap, core, loader
from homeassistant.helpers import entity_registry
from homeassistant.config_entries import ConfigEntries, ConfigEntry
from homeassistant.setup import async_setup_component

HOST, PORT = sys.argv[1].rsplit(":", 1)
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 5
faults = []


class Faults(logging.Handler):
    def emit(self, record):
        if record.levelno >= logging.WARNING and ("mqtt" in record.name or "sensor" in record.name):
            faults.append(f"{record.levelname} {record.name}: {record.getMessage()}")


async def main():
    logging.getLogger().addHandler(Faults())
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "configuration.yaml").write_text("")
        hass = core.HomeAssistant(folder)
        loader.async_setup(hass)
        hass.config_entries = ConfigEntries(hass, {})
        await bootstrap.async_load_base_functionality(hass)
        await async_setup_component(hass, "homeassistant", {})
        hass.config.components |= {"http", "file_upload"}
        await hass.config_entries.async_add(ConfigEntry(
            domain="mqtt", data={"broker": HOST, "port": int(PORT)}, options={"discovery": True}, version=1,
            minor_version=2, source="user", title="m", unique_id=None,
            discovery_keys=MappingProxyType({}), subentries_data=None))
        await hass.async_start()
        await asyncio.sleep(SECONDS)
        for state in sorted(hass.states.async_all(), key=lambda state: state.entity_id):
            unit = state.attributes.get("unit_of_measurement", "")
            print(state.entity_id, state.state, unit, state.attributes.get("latitude", ""))
        if len(sys.argv) > 3:
            with open(sys.argv[3]) as file:
                compare(hass, json.load(file))
        await hass.async_stop(force=True)


def compare(hass, expected):
    there = {}
    for entry in entity_registry.async_get(hass).entities.values():
        if entry.platform == "mqtt" and not entry.disabled_by:
            state = hass.states.get(entry.entity_id)
            there[entry.unique_id] = state.state if state else None
    for name in sorted(expected.keys() | there.keys()):
        wanted, found = expected.get(name), there.get(name)
        try:
            equal = float(wanted) == float(found)
        except (TypeError, ValueError):
            equal = wanted == found
        if not equal:
            faults.append(f"{name} is {found}, not {wanted}")
    print(f"{len(there)} entities compared")


asyncio.run(main())
for fault in faults:
    print(fault, file=sys.stderr)
sys.exit(1 if faults else 0)
