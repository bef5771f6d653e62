import { json } from 'node:stream/consumers'
import { readOrCreateBaseEnv } from './base-env.ts'
import { describe, type Question, variablesOfStack } from './release-parts.ts'
import { BACKUPS } from './services.ts'
import { readSettings } from './settings.ts'

// Answers the launcher of a running stack, whose code may be of the release before this one.
try {
  const question = (await json(process.stdin)) as Question
  const { variables: baseEnv } = readOrCreateBaseEnv(question.baseEnvFile)
  const settings = readSettings(baseEnv, question.variables)
  const services = settings.databases.length > 0 ? [...settings.services, BACKUPS] : settings.services
  process.stdout.write(JSON.stringify(describe(services, variablesOfStack(settings, question))))
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
