import { renameSync, writeFileSync } from 'node:fs'
import { raiseWholeStack } from '@windlass/e2e/raised-stack.ts'
import { fastFolder } from './run.ts'

/* Raises a stack, writes into the named file where it is, and stops it when it is asked to end. Its anchors fall asleep. */

const [file = ''] = process.argv.slice(2)
const settings = { ANCHOR_SLEEP_AFTER_SECONDS: '8', ANCHOR_SLEEP_GRACE_SECONDS: '1' }
const { home, variables, remove } = await raiseWholeStack(settings, fastFolder)
process.once('SIGTERM', () => void remove().finally(() => process.exit(0)))
writeFileSync(`${file}.unfinished`, JSON.stringify({ home, variables }))
renameSync(`${file}.unfinished`, file)
setInterval(() => undefined, 3_600_000)
