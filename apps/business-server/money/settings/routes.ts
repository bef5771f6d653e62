import { getSettings, setSettings, uploadLogo } from '@windlass/contracts/anchor/anchor-settings.ts'
import { answer } from '@windlass/service/http/answer.ts'
import { Problem } from '@windlass/service/http/problem.ts'
import type { On } from '@windlass/service/http/server.ts'
import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../deps.ts'
import { addLogo, findLogo } from './logos.ts'
import { addSettings, settingsHistory } from './settings.ts'

export function serveSettings(on: On, app: FastifyInstance, deps: Deps): void {
  const { db } = deps.database
  const history = async () => ({ history: await settingsHistory(deps, db) })
  on(getSettings).serve(history)
  on(setSettings).serve(async ({ body }) => {
    await addSettings(deps, body)
    return history()
  })
  on(uploadLogo).serve(async ({ body }) => answer(201, await addLogo(db, body.by, body.data)))
  // An image that a founder uploaded: nothing of it may run, whatever a browser takes it for.
  app.get<{ Params: { id: string } }>('/interactive/logos/:id', async ({ params }, reply) => {
    const logo = await findLogo(db, params.id)
    if (!logo) throw new Problem('not-found', 'There is no such logo.')
    return reply
      .type(logo.media_type)
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('x-content-type-options', 'nosniff')
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .send(logo.content)
  })
}
