// BlueZ's library, for the Service Discovery Protocol only.
#ifndef CBLUETOOTH_H
#define CBLUETOOTH_H

#include <bluetooth/bluetooth.h>
#include <bluetooth/sdp.h>
#include <bluetooth/sdp_lib.h>

#endif
