// Compiled alone when the manifest misses a header, so that the reason is one clear line.
#if !__has_include(<sqlite3.h>) || !__has_include(<bluetooth/bluetooth.h>)
#error "obdscan needs libsqlite3-dev and libbluetooth-dev: sudo apt-get install libsqlite3-dev libbluetooth-dev"
#endif
