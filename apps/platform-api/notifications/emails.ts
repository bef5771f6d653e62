import type { EmailLanguage } from '@windlass/contracts/platform/emails.ts'
import { type NotificationKind, platformKinds } from '@windlass/contracts/platform/notifications.ts'
import { declareEmail, type EmailParts, type LocalizedEmail, oneLine } from '../mail/email.ts'
import type { Phase } from './changes.ts'

interface Texts {
  /** In the subject, after the home domain. */
  title: string
  /** The title when the condition has ended. */
  ended?: string
  /** What to do. */
  next: string
}

const english: Record<NotificationKind, Texts> = {
  'treasury-low': {
    title: 'the treasury is low',
    ended: 'the treasury is no longer low',
    next: 'Top up the treasury. Deposits that it cannot cover wait, and are refunded after a day.',
  },
  'treasury-high': {
    title: 'the treasury is above its ceiling',
    ended: 'the treasury is below its ceiling again',
    next: 'The amount above the ceiling is sent to the cold account, if one is set.',
  },
  'xlm-low': {
    title: 'XLM is low',
    ended: 'there is enough XLM again',
    next: 'Send XLM to the distribution account. Payments on the ledger wait until it can pay fees and reserves.',
  },
  'review-waiting': {
    title: 'a review is waiting',
    ended: 'a review is done',
    next: 'Open the console and decide.',
  },
  'compliance-waiting': {
    title: 'compliance has something to decide',
    ended: 'compliance has decided',
    next: 'Open Compliance in the console. Tell nobody who does not work on it, least of all the customer.',
  },
  'webhook-failing': {
    title: 'a webhook is failing',
    ended: 'a webhook works again',
    next: 'Check the endpoint. Deliveries are retried for about a day.',
  },
  'reconciliation-difference': {
    title: 'the journal differs from the ledger or a rail',
    ended: 'the journal agrees with ledger and rails again',
    next: 'Open Reconciliation and Ledger in the console, find the cause and resolve it.',
  },
  'safeguarding-shortfall': {
    title: 'less is there than is owed to customers',
    ended: 'all that is owed to customers is there again',
    next: 'Open Reconciliation in the console: it shows what is owed and what is there. Bring in what is missing, and find out what left.',
  },
  'anchor-active': {
    title: 'the anchor is active',
    next: 'Wallets can find it and customers can deposit and withdraw.',
  },
  'payout-failed': {
    title: 'a payout failed',
    next: 'The customer is refunded on the ledger. Check the transaction in the console.',
  },
  'second-person-waits': {
    title: 'a change that lets more money out waits for a second person',
    next: 'Look at it in the console and approve or reject it. If no one in your team asked for it, contact the administrators of the platform now.',
  },
  'compliance-second-person-waits': {
    title: 'a change in compliance waits for a second person',
    next: 'Look at it in the console and approve or reject it. Tell no one who does not work on it. If no one in your team asked for it, contact the administrators of the platform now.',
  },
  'treasury-settings-changed': {
    title: 'the treasury settings were changed',
    next: 'If no one in your team did this, contact the administrators of the platform now.',
  },
  'funding-low': {
    title: 'the funding account lacks XLM',
    ended: 'the funding account has enough XLM again',
    next: 'Send XLM to the funding account. Until then no anchor is created or topped up.',
  },
  'application-received': {
    title: 'a new application was received',
    next: 'Review it in the admin console.',
  },
}

const spanish: Record<NotificationKind, Texts> = {
  'treasury-low': {
    title: 'la tesorería está baja',
    ended: 'la tesorería ya no está baja',
    next: 'Recargue la tesorería. Los depósitos que no puede cubrir esperan y se reembolsan después de un día.',
  },
  'treasury-high': {
    title: 'la tesorería supera su máximo',
    ended: 'la tesorería vuelve a estar por debajo de su máximo',
    next: 'El importe que supera el máximo se envía a la cuenta fría, si hay una fijada.',
  },
  'xlm-low': {
    title: 'queda poco XLM',
    ended: 'vuelve a haber XLM suficiente',
    next: 'Envíe XLM a la cuenta de distribución. Los pagos en la red esperan hasta que pueda pagar comisiones y reservas.',
  },
  'review-waiting': {
    title: 'hay una revisión pendiente',
    ended: 'una revisión está hecha',
    next: 'Abra la consola y decida.',
  },
  'compliance-waiting': {
    title: 'cumplimiento tiene algo que decidir',
    ended: 'cumplimiento ha decidido',
    next: 'Abra Cumplimiento en la consola. No lo cuente a nadie que no trabaje en ello, y menos al cliente.',
  },
  'webhook-failing': {
    title: 'un webhook falla',
    ended: 'un webhook vuelve a funcionar',
    next: 'Compruebe la dirección del webhook. Las entregas se reintentan durante un día aproximadamente.',
  },
  'reconciliation-difference': {
    title: 'el diario no coincide con la red o con un medio de pago',
    ended: 'el diario vuelve a coincidir con la red y los medios de pago',
    next: 'Abra Conciliación y Red en la consola, busque la causa y resuélvala.',
  },
  'safeguarding-shortfall': {
    title: 'hay menos de lo que se debe a los clientes',
    ended: 'todo lo que se debe a los clientes está de nuevo',
    next: 'Abra Conciliación en la consola: muestra lo que se debe y lo que hay. Aporte lo que falta y averigüe qué salió.',
  },
  'anchor-active': {
    title: 'el anchor está activo',
    next: 'Las billeteras pueden encontrarlo y los clientes pueden depositar y retirar.',
  },
  'payout-failed': {
    title: 'falló el pago de un retiro',
    next: 'El cliente recibe un reembolso en la red. Compruebe la transacción en la consola.',
  },
  'second-person-waits': {
    title: 'un cambio que deja salir más dinero espera a una segunda persona',
    next: 'Mírelo en la consola y apruébelo o rechácelo. Si nadie de su equipo lo pidió, contacte ahora con los administradores de la plataforma.',
  },
  'compliance-second-person-waits': {
    title: 'un cambio en cumplimiento espera a una segunda persona',
    next: 'Mírelo en la consola y apruébelo o rechácelo. No lo cuente a nadie que no trabaje en ello. Si nadie de su equipo lo pidió, contacte ahora con los administradores de la plataforma.',
  },
  'treasury-settings-changed': {
    title: 'los ajustes de la tesorería cambiaron',
    next: 'Si nadie de su equipo lo hizo, contacte ahora con los administradores de la plataforma.',
  },
  'funding-low': {
    title: 'falta XLM en la cuenta de financiación',
    ended: 'la cuenta de financiación vuelve a tener XLM suficiente',
    next: 'Envíe XLM a la cuenta de financiación. Hasta entonces no se crea ni se recarga ningún anchor.',
  },
  'application-received': {
    title: 'se recibió una solicitud nueva',
    next: 'Revísela en la consola de administración.',
  },
}

interface Frame {
  hello: string
  over: string
  more(count: number): string
  link: string
  /** Where the reader chooses which of these emails they get, or why they get them. */
  footnote: { anchor: string; platform: string }
}

const frames: Record<EmailLanguage, Frame> = {
  en: {
    hello: 'Hello,',
    over: 'This condition has ended:',
    more: count => `And ${count} more.`,
    link: 'Open the console',
    footnote: {
      anchor: 'Choose which of these emails you get under Notifications in the workspace.',
      platform: 'This email is for administrators of Windlass.',
    },
  },
  es: {
    hello: 'Hola:',
    over: 'Esta situación terminó:',
    more: count => `Y ${count} más.`,
    link: 'Abrir la consola',
    footnote: {
      anchor: 'Elija cuáles de estos correos recibe en Notificaciones, en su espacio de trabajo.',
      platform: 'Este correo es para los administradores de Windlass.',
    },
  },
}

/** How many details an email lists. */
const LISTED = 20

interface NotificationEmail {
  details: readonly { detail: string; spanish: string | null }[]
  /** Null: the email is about the platform. */
  anchor: { homeDomain: string } | null
  url: string
}

/** In the reader's language. */
type Shown = Omit<NotificationEmail, 'details'> & { details: readonly string[] }

function parts(
  { title, next }: Pick<Texts, 'title' | 'next'>,
  ended: boolean,
  frame: Frame,
  { details, anchor, url }: Shown,
): EmailParts {
  const rest = details.length - LISTED
  return {
    subject: `${oneLine(anchor?.homeDomain ?? 'Windlass')}: ${title}`,
    paragraphs: [
      frame.hello,
      ...(ended ? [frame.over] : []),
      ...details.slice(0, LISTED),
      ...(rest > 0 ? [frame.more(rest)] : []),
      ...(ended ? [] : [next]),
    ],
    link: { label: frame.link, url },
    footnote: frame.footnote[anchor ? 'anchor' : 'platform'],
  }
}

function declare(kind: NotificationKind, ended: boolean) {
  const ofPlatform = platformKinds.some(each => each === kind)
  const textsIn = (texts: Record<NotificationKind, Texts>) => {
    const { title, next, ...rest } = texts[kind]
    return { title: ended ? (rest.ended ?? title) : title, next }
  }
  return declareEmail<NotificationEmail>({
    name: `notification-${kind}${ended ? '-ended' : ''}`,
    recipients: [ofPlatform ? 'administrator' : 'operator'],
    sample: {
      details: [
        {
          detail: 'A sample of what the notification says.',
          spanish: 'Un ejemplo de lo que dice la notificación.',
        },
      ],
      anchor: ofPlatform ? null : { homeDomain: 'sample.anchors.example' },
      url: 'https://windlass.example',
    },
    texts: {
      en: data =>
        parts(textsIn(english), ended, frames.en, {
          ...data,
          details: data.details.map(({ detail }) => detail),
        }),
      es: data =>
        parts(textsIn(spanish), ended, frames.es, {
          ...data,
          details: data.details.map(each => each.spanish ?? each.detail),
        }),
    },
  })
}

const kinds = Object.keys(english) as NotificationKind[]
const started = new Map(kinds.map(kind => [kind, declare(kind, false)]))
const ended = new Map(
  kinds.filter(kind => english[kind].ended !== undefined).map(kind => [kind, declare(kind, true)]),
)

/** In English, as webhooks say it, who have no language. */
export function titleOf(kind: NotificationKind, phase: Phase): string {
  const { title, ended: over } = english[kind]
  return phase === 'ended' ? (over ?? title) : title
}

/** One email for all notifications of a kind. */
export function notificationEmail(
  kind: NotificationKind,
  phase: Phase,
  data: NotificationEmail,
): LocalizedEmail {
  const write = (phase === 'ended' ? ended.get(kind) : undefined) ?? started.get(kind)!
  return write(data)
}
