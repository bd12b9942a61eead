// BlueZ's library: service discovery and inquiry.
#ifndef CBLUETOOTH_H
#define CBLUETOOTH_H

// The manifest checks for the headers first. It does not run again if SwiftPM has cached its result from a
// time when they existed, so this line reports what to do in that case.
#if !__has_include(<bluetooth/bluetooth.h>)
#error "obdscan needs libsqlite3-dev libbluetooth-dev: sudo apt-get install libsqlite3-dev libbluetooth-dev"
#endif

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <bluetooth/sdp.h>
#include <bluetooth/sdp_lib.h>

#endif
