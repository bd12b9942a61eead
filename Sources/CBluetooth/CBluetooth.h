// BlueZ's library: service discovery and inquiry.
#ifndef CBLUETOOTH_H
#define CBLUETOOTH_H

// The manifest looks for the headers first. It does not run when SwiftPM remembers it from a time when they
// were there, so that this line says what to do then.
#if !__has_include(<bluetooth/bluetooth.h>)
#error "obdscan needs libsqlite3-dev libbluetooth-dev: sudo apt-get install libsqlite3-dev libbluetooth-dev"
#endif

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <bluetooth/sdp.h>
#include <bluetooth/sdp_lib.h>

#endif
