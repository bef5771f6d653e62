import { isDatabaseAway } from '@windlass/service/observe/outage.ts'

process.on('uncaughtException', error => {
  if (isDatabaseAway(error))
    console.error(
      `The database does not answer (${error.message}). npm run status says what is wrong, and what to do.`,
    )
  else console.error(error)
  process.exitCode = 1
  process.exit()
})
