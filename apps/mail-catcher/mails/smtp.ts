import type { Listener } from '@windlass/service/process/bind.ts'
import type { Clock } from '@windlass/service/work/clock.ts'
import type { FastifyBaseLogger } from 'fastify'
import { randomBytes } from 'node:crypto'
import { SMTPServer, type SMTPServerDataStream, type SMTPServerSession } from 'smtp-server'
import { type Envelope, readMail } from './mail.ts'
import type { Mailbox } from './mailbox.ts'

const MAX_BYTES = 10 * 2 ** 20
const MAX_RECIPIENTS = 100

/** Takes every mail for anybody from anybody (RFC 5321); acknowledged once it is on disk. */
export function smtpListener(mailbox: Mailbox, clock: Clock, logger: FastifyBaseLogger): Listener {
  const smtp = new SMTPServer({
    name: 'windlass',
    banner: 'mail catcher',
    size: MAX_BYTES,
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    maxClients: 100,
    socketTimeout: 30_000,
    closeTimeout: 500,
    onAuth: (auth, _session, done) => done(null, { user: auth.username ?? 'anybody' }),
    onRcptTo: (_address, session, done) =>
      session.envelope.rcptTo.length < MAX_RECIPIENTS ? done() : done(refusal(452, 'Too many recipients')),
    onData: (stream, session, done) => {
      keep(stream, session).then(
        id => done(null, `Kept as ${id}`),
        error => {
          logger.warn({ err: error }, 'a mail was not kept')
          done(isRefusal(error) ? error : refusal(451, 'The mail could not be kept'))
        },
      )
    },
  })
  const keep = async (stream: SMTPServerDataStream, session: SMTPServerSession): Promise<string> => {
    const source = await readAll(stream)
    const id = randomBytes(8).toString('hex')
    const given = { id, time: clock.now().toISOString(), envelope: envelopeOf(session) }
    await mailbox.add(await readMail(source, given), source)
    logger.info({ id, recipients: given.envelope.to.length }, 'kept a mail')
    return id
  }
  smtp.on('error', error => logger.warn({ err: error }, 'smtp connection failed'))
  return {
    server: smtp.server,
    close: () => new Promise(resolve => smtp.close(() => resolve())),
  }
}

async function readAll(stream: SMTPServerDataStream): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length
    // Read to its end, or the connection stalls, but not kept.
    if (bytes <= MAX_BYTES) chunks.push(chunk)
  }
  if (stream.sizeExceeded || bytes > MAX_BYTES) throw refusal(552, 'The mail is larger than 10 MB')
  return Buffer.concat(chunks)
}

function envelopeOf({ envelope, remoteAddress }: SMTPServerSession): Envelope {
  const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
  return { from: { address: from }, to: envelope.rcptTo.map(({ address }) => ({ address })), remoteAddress }
}

const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })
const isRefusal = (error: unknown): error is Error => error instanceof Error && 'responseCode' in error
