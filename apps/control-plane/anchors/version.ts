import packageFile from '../package.json' with { type: 'json' }

/** Of the servers' software: they come from the same checkout. */
export const VERSION = packageFile.version
