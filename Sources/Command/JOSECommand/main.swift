import JOSESettings

Bulla.start()
