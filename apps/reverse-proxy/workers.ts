import { loop, type Loop } from '@windlass/service/work/loop.ts'
import { watch } from 'node:fs'
import { dirname } from 'node:path'
import { makePrivateFolder } from '@windlass/service/process/private-folder.ts'
import type { Deps } from './deps.ts'

const CHECK_CERTIFICATES_EVERY_MS = 3_600_000

export function startWorkers(deps: Deps): Loop[] {
  const { certificates, logger } = deps
  const routes = followRoutes(deps)
  if (!certificates) return [routes]
  const everyMs = CHECK_CERTIFICATES_EVERY_MS
  return [routes, loop({ name: 'certificates', act: certificates.check, everyMs, logger, stopWithinMs: 0 })]
}

/** Reads the routes whenever their file changes. */
function followRoutes({ config, followRoutes: act, logger }: Deps): Loop {
  const following = loop({ name: 'routes', act, everyMs: null, logger, stopWithinMs: 0 })
  const folder = dirname(config.routesFile)
  makePrivateFolder(folder)
  const watching = watch(folder, { persistent: false }, following.wake)
  watching.on('error', error => logger.warn({ err: error }, 'the routes of another process are not seen'))
  return {
    ...following,
    stop: async () => {
      watching.close()
      await following.stop()
    },
  }
}
