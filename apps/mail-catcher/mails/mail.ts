import { type AddressObject, type EmailAddress, type ParsedMail, simpleParser } from 'mailparser'

interface Address {
  address: string
  name: string
}

/** Who a mail was really handed over from and to; `to` also names those in Bcc. */
export interface Envelope {
  from: { address: string }
  to: { address: string }[]
  remoteAddress: string
}

/** A mail as MailDev writes it (https://github.com/maildev/maildev/blob/master/docs/rest.md). */
export interface Mail {
  id: string
  /** When it arrived. */
  time: string
  read: boolean
  /** What its sender says about when it was written. */
  date: string
  messageId: string
  subject: string
  from: Address[]
  to: Address[]
  cc: Address[]
  replyTo: Address[]
  text: string
  /** Empty where the mail has text only. */
  html: string
  headers: Record<string, string>
  attachments: { fileName: string; contentType: string; length: number; contentId: string }[]
  envelope: Envelope
  /** Bytes. */
  size: number
}

/** Reads a mail's source (RFC 5322, MIME). One that cannot be read is shown as it stands. */
export async function readMail(
  source: Buffer,
  given: { id: string; time: string; envelope: Envelope },
): Promise<Mail> {
  const parsed = await simpleParser(source, { skipTextToHtml: true }).catch(() => null)
  return {
    ...given,
    read: false,
    date: validDate(parsed?.date) ?? given.time,
    messageId: parsed?.messageId ?? '',
    subject: parsed?.subject ?? '',
    from: addresses(parsed?.from),
    to: addresses(parsed?.to),
    cc: addresses(parsed?.cc),
    replyTo: addresses(parsed?.replyTo),
    text: parsed ? (parsed.text ?? '') : source.toString('utf8'),
    html: parsed?.html || '',
    headers: headersOf(parsed),
    attachments: (parsed?.attachments ?? []).map(attachment => ({
      fileName: attachment.filename ?? 'attachment',
      contentType: attachment.contentType,
      length: attachment.size,
      contentId: attachment.cid ?? '',
    })),
    size: source.length,
  }
}

function validDate(date: Date | undefined): string | undefined {
  return date && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined
}

function addresses(given: AddressObject | AddressObject[] | undefined): Address[] {
  return [given ?? []].flat().flatMap(object => object.value.flatMap(plain))
}

/** A group stands for its members. */
function plain(entry: EmailAddress): Address[] {
  if (entry.group) return entry.group.flatMap(plain)
  return [{ address: entry.address ?? '', name: entry.name }]
}

function headersOf(parsed: ParsedMail | null): Record<string, string> {
  const lines = parsed?.headerLines ?? []
  return Object.fromEntries(
    lines.map(({ key, line }) => [
      key,
      line
        .slice(line.indexOf(':') + 1)
        .replace(/\r?\n\s+/g, ' ')
        .trim(),
    ]),
  )
}
