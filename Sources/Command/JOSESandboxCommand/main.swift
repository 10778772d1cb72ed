import JOSESettings

BullaSandbox.start()
