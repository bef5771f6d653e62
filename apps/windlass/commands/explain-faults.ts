// oxlint-disable-next-line no-restricted-imports -- it says that the database does not answer.
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
