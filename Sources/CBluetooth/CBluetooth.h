// BlueZ's library: service discovery and inquiry.
#ifndef CBLUETOOTH_H
#define CBLUETOOTH_H

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <bluetooth/sdp.h>
#include <bluetooth/sdp_lib.h>

#endif
