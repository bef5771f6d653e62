import { declareEmail, type EmailParts, type EmailSender } from '../mail/email.ts'
import type { CodePurpose } from '../sign-in-tables.ts'

/** Minutes that a code is valid. */
export const CODE_MINUTES = 5

/** The page of an anchor on which someone is to enter a code. */
export interface AnchorPage {
  /** `harbour.anchors.example` */
  homeDomain: string
  sender: EmailSender
  /** The ledger account that signs in there; null: the anchor's server did not name it. */
  account: string | null
  /** Tells the people of a shared account apart. */
  memo: string | null
}

interface CodeEmail {
  code: string
  purpose: CodePurpose
  /** The host of our own page on which the code is to be entered. */
  host: string
}

/** The code begins the subject, so that it can be read from a notification: it works for minutes, and once. */
export const codeEmail = declareEmail<CodeEmail>({
  name: 'sign-in-code',
  recipients: ['operator', 'customer'],
  sample: { code: '123456', purpose: 'sign-in', host: 'account.windlass.example' },
  texts: { en: inEnglish, es: inSpanish },
})

/** A code that is good on one anchor's page. */
export const anchorCodeEmail = declareEmail<{ code: string; page: AnchorPage }>({
  name: 'sign-in-code-at-anchor',
  recipients: ['customer'],
  sample: {
    code: '123456',
    page: {
      homeDomain: 'harbour.anchors.example',
      sender: { name: 'Harbour Payments', color: null, logoUrl: null, supportEmail: 'help@harbour.example' },
      account: 'GAV4VYBHNTQ3SCTQW2DNQQPUUHJNVVXQ2C5XWNPQRNPIO4LFVTO7BZZW',
      memo: '77',
    },
  },
  texts: {
    en: ({ code, page }) => atAnchorInEnglish(code, page),
    es: ({ code, page }) => atAnchorInSpanish(code, page),
  },
})

function inEnglish({ code, purpose, host }: CodeEmail): EmailParts {
  const subjects = {
    'sign-in': `${code} is your sign-in code`,
    confirmation: `${code} is your code to confirm an action`,
    deletion: `${code} is your code to delete your account`,
  } satisfies Record<CodePurpose, string>
  const aims = {
    'sign-in': 'It signs you in.',
    confirmation: 'It confirms that it is you who changes something important.',
    deletion: 'It deletes your account. This cannot be undone.',
  } satisfies Record<CodePurpose, string>
  return {
    subject: subjects[purpose],
    paragraphs: [
      'Hello,',
      `Enter this code at ${host}, where you requested it. ${aims[purpose]} It is valid for ${CODE_MINUTES} minutes and works once.`,
    ],
    code,
    footnote: `Enter it at ${host} only, never on the page of an anchor or a wallet. If you did not request a code, ignore this email. Nobody can sign in without the code.`,
  }
}

function inSpanish({ code, purpose, host }: CodeEmail): EmailParts {
  const subjects = {
    'sign-in': `${code} es su código para iniciar sesión`,
    confirmation: `${code} es su código para confirmar una acción`,
    deletion: `${code} es su código para eliminar su cuenta`,
  } satisfies Record<CodePurpose, string>
  const aims = {
    'sign-in': 'Con él inicia sesión.',
    confirmation: 'Confirma que es usted quien cambia algo importante.',
    deletion: 'Elimina su cuenta. Esto no se puede deshacer.',
  } satisfies Record<CodePurpose, string>
  return {
    subject: subjects[purpose],
    paragraphs: [
      'Hola:',
      `Escriba este código en ${host}, donde lo pidió. ${aims[purpose]} Es válido durante ${CODE_MINUTES} minutos y sirve una sola vez.`,
    ],
    code,
    footnote: `Escríbalo solo en ${host}, nunca en la página de un anchor o de una billetera. Si no pidió un código, ignore este correo. Nadie puede iniciar sesión sin el código.`,
  }
}

function atAnchorInEnglish(code: string, page: AnchorPage): EmailParts {
  const { sender, homeDomain, account, memo } = page
  const { name } = sender
  return {
    sender,
    subject: `${code} is your code for ${name}`,
    paragraphs: [
      'Hello,',
      `Enter this code on the page of ${name} (${homeDomain}), where you requested it. It is valid for ${CODE_MINUTES} minutes, works once, and works at ${name} only.`,
      ...(account === null
        ? []
        : [`It signs you in there with the wallet\n${account}${memo === null ? '' : `\nmemo ${memo}`}`]),
      `${name} can then read the result of your identity check, the name on your document and your wallets.`,
    ],
    code,
    footnote: `Are you not on a page of ${homeDomain}, or is this not your wallet? Then do not enter the code anywhere: someone else wants to use your identity.`,
  }
}

function atAnchorInSpanish(code: string, page: AnchorPage): EmailParts {
  const { sender, homeDomain, account, memo } = page
  const { name } = sender
  return {
    sender,
    subject: `${code} es su código para ${name}`,
    paragraphs: [
      'Hola:',
      `Escriba este código en la página de ${name} (${homeDomain}), donde lo pidió. Es válido durante ${CODE_MINUTES} minutos, sirve una sola vez y solo en ${name}.`,
      ...(account === null
        ? []
        : [`Con él inicia sesión allí con la billetera\n${account}${memo === null ? '' : `\nmemo ${memo}`}`]),
      `Después, ${name} puede leer el resultado de su verificación de identidad, el nombre de su documento y sus billeteras.`,
    ],
    code,
    footnote: `¿No está en una página de ${homeDomain}, o esta no es su billetera? Entonces no escriba el código en ningún sitio: otra persona quiere usar su identidad.`,
  }
}
