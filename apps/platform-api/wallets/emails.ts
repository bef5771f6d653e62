import { declareEmail, type EmailParts } from '../mail/email.ts'

interface WalletEmail {
  account: string
  /** Tells the people of a shared account apart, as it may be printed. */
  memo: string | null
  /** Where someone signed in with it; null: it was linked in the portal. */
  anchor: { name: string; homeDomain: string } | null
  /** Removes it without a session. */
  removeUrl: string
  /** The customer's wallets in the portal. */
  walletsUrl: string
  /** Days that `removeUrl` works. */
  days: number
}

const sample: WalletEmail = {
  account: 'GAV4VYBHNTQ3SCTQW2DNQQPUUHJNVVXQ2C5XWNPQRNPIO4LFVTO7BZZW',
  memo: '77',
  anchor: { name: 'Harbour Payments', homeDomain: 'harbour.anchors.example' },
  removeUrl: 'https://account.windlass.example/remove-wallet#token=sample',
  walletsUrl: 'https://account.windlass.example/wallets',
  days: 30,
}

const addressOf = ({ account, memo }: WalletEmail): string =>
  memo === null ? account : `${account}\nmemo ${memo}`

/** A wallet counts as the customer's from now on. */
export const linkedEmail = declareEmail<WalletEmail>({
  name: 'wallet-linked',
  recipients: ['customer'],
  sample,
  texts: {
    en: wallet => ({
      subject: 'A wallet was linked to your account',
      paragraphs: [
        'Hello,',
        wallet.anchor
          ? `Someone signed in with your email address at ${wallet.anchor.name} (${wallet.anchor.homeDomain}) with this wallet:`
          : 'Someone who is signed in to your account linked this wallet:',
        addressOf(wallet),
        'Anchors treat anyone who uses it as you, with your identity check. If it is yours, you have nothing to do.',
      ],
      link: { label: 'This is not my wallet: remove it', url: wallet.removeUrl },
      footnote: `The link works once, for ${wallet.days} days, and asks you before it removes anything. Your wallets: ${wallet.walletsUrl}`,
    }),
    es: wallet => ({
      subject: 'Se vinculó una billetera a su cuenta',
      paragraphs: [
        'Hola:',
        wallet.anchor
          ? `Alguien inició sesión con su correo en ${wallet.anchor.name} (${wallet.anchor.homeDomain}) con esta billetera:`
          : 'Alguien con una sesión abierta en su cuenta vinculó esta billetera:',
        addressOf(wallet),
        'Para los anchors, quien la use es usted, con su verificación de identidad. Si es suya, no tiene que hacer nada.',
      ],
      link: { label: 'No es mi billetera: quitarla', url: wallet.removeUrl },
      footnote: `El enlace sirve una sola vez, durante ${wallet.days} días, y pregunta antes de quitar nada. Sus billeteras: ${wallet.walletsUrl}`,
    }),
  },
})

/** A wallet waits until the customer confirms it. */
export const waitingEmail = declareEmail<WalletEmail>({
  name: 'wallet-waiting',
  recipients: ['customer'],
  sample,
  texts: { en: waitingInEnglish, es: waitingInSpanish },
})

function waitingInEnglish(wallet: WalletEmail): EmailParts {
  const { anchor, walletsUrl, removeUrl, days } = wallet
  return {
    subject: 'Confirm a new wallet',
    paragraphs: [
      'Hello,',
      `Someone signed in with your email address at ${anchor?.name} (${anchor?.homeDomain}) with a wallet that is new to your account:`,
      addressOf(wallet),
      `It cannot be used until you confirm it. Confirm it only if you opened ${anchor?.homeDomain} yourself, and this is your wallet: anyone who uses it can then deposit and withdraw in your name.`,
    ],
    link: { label: 'Sign in and confirm', url: walletsUrl },
    secondLink: { label: 'This is not my wallet: refuse it', url: removeUrl },
    footnote: `The link to refuse it works once, for ${days} days. If you do nothing, the wallet stays without effect.`,
  }
}

function waitingInSpanish(wallet: WalletEmail): EmailParts {
  const { anchor, walletsUrl, removeUrl, days } = wallet
  return {
    subject: 'Confirme una billetera nueva',
    paragraphs: [
      'Hola:',
      `Alguien inició sesión con su correo en ${anchor?.name} (${anchor?.homeDomain}) con una billetera que es nueva en su cuenta:`,
      addressOf(wallet),
      `No cuenta para nada hasta que usted la confirme. Confírmela solo si usted mismo abrió ${anchor?.homeDomain} y esta es su billetera: quien la use podrá depositar y retirar en su nombre.`,
    ],
    link: { label: 'Iniciar sesión y confirmar', url: walletsUrl },
    secondLink: { label: 'No es mi billetera: rechazarla', url: removeUrl },
    footnote: `El enlace para rechazarla sirve una sola vez, durante ${days} días. Si no hace nada, la billetera queda sin efecto.`,
  }
}
