import { serveLocalPage } from '@windlass/service/http/local-page.ts'
import { createServer, type Server } from '@windlass/service/http/server.ts'
import { folderTakesFiles } from '@windlass/service/process/writable.ts'
import type { Deps } from './deps.ts'
import { serveMails } from './mails/routes.ts'

const PAGE_CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; frame-ancestors 'none'"

/** The mails as MailDev serves them, and the page that shows them. */
export async function buildApp({ mailbox, folder, logger }: Deps): Promise<Server> {
  const server = await createServer({
    name: 'mail-catcher',
    logger,
    documents: false,
    checks: { disk: folderTakesFiles(folder) },
  })
  serveMails(server.app, mailbox)
  await serveLocalPage(server.app, new URL('./page/', import.meta.url), PAGE_CSP)
  return server
}
