import type { EmailRecipient } from '@windlass/contracts/platform/emails.ts'
import { declareEmail, type EmailParts } from '../mail/email.ts'

/** What a person added or removed; a passkey has the name that they gave it. */
export type SecondFactor = 'authenticator-app' | { passkey: string }

/** `The passkey “Laptop”`, as the audit log has it. */
export const factorName = (factor: SecondFactor): string =>
  factor === 'authenticator-app' ? 'An authenticator app' : `The passkey “${factor.passkey}”`

const spanishName = (factor: SecondFactor): string =>
  factor === 'authenticator-app'
    ? 'Una aplicación de autenticación'
    : `La llave de acceso «${factor.passkey}»`

const recipients: EmailRecipient[] = ['operator', 'administrator']

const english = (subject: string, text: string): EmailParts => ({
  subject,
  paragraphs: ['Hello,', text],
  footnote:
    'If this was not you, sign in at once, end all other sessions, and contact an administrator of the platform.',
})

const spanish = (subject: string, text: string): EmailParts => ({
  subject,
  paragraphs: ['Hola:', text],
  footnote:
    'Si no fue usted, inicie sesión de inmediato, cierre todas las demás sesiones y contacte con un administrador de la plataforma.',
})

export const addedEmail = declareEmail<{ factor: SecondFactor }>({
  name: 'second-factor-added',
  recipients,
  sample: { factor: { passkey: 'Sample laptop' } },
  texts: {
    en: ({ factor }) =>
      english(
        'A second factor was added to your account',
        `${factorName(factor)} was added as a second factor. It is needed from now on when you sign in.`,
      ),
    es: ({ factor }) =>
      spanish(
        'Se añadió un segundo factor a su cuenta',
        `${spanishName(factor)} se añadió como segundo factor. A partir de ahora lo necesita para iniciar sesión.`,
      ),
  },
})

export const removedEmail = declareEmail<{ factor: SecondFactor; isLast: boolean }>({
  name: 'second-factor-removed',
  recipients,
  sample: { factor: 'authenticator-app', isLast: true },
  texts: {
    en: ({ factor, isLast }) =>
      english(
        'A second factor was removed from your account',
        isLast
          ? `${factorName(factor)} was removed. Your account has no second factor now.`
          : `${factorName(factor)} was removed from your second factors.`,
      ),
    es: ({ factor, isLast }) =>
      spanish(
        'Se quitó un segundo factor de su cuenta',
        isLast
          ? `${spanishName(factor)} ya no es un segundo factor. Su cuenta no tiene ninguno ahora.`
          : `${spanishName(factor)} ya no es un segundo factor de su cuenta.`,
      ),
  },
})

export const resetEmail = declareEmail<object>({
  name: 'second-factors-reset',
  recipients,
  sample: {},
  texts: {
    en: () =>
      english(
        'Your second factors were reset',
        'An administrator removed all second factors of your account and ended its sessions. Sign in and add a new second factor.',
      ),
    es: () =>
      spanish(
        'Se restablecieron sus segundos factores',
        'Un administrador quitó todos los segundos factores de su cuenta y cerró sus sesiones. Inicie sesión y añada un segundo factor nuevo.',
      ),
  },
})

export const codesReplacedEmail = declareEmail<object>({
  name: 'recovery-codes-replaced',
  recipients,
  sample: {},
  texts: {
    en: () =>
      english(
        'You have new recovery codes',
        'New recovery codes were created for your account. Earlier ones no longer work.',
      ),
    es: () =>
      spanish(
        'Tiene códigos de recuperación nuevos',
        'Se crearon códigos de recuperación nuevos para su cuenta. Los anteriores ya no sirven.',
      ),
  },
})

export const codeUsedEmail = declareEmail<{ left: number }>({
  name: 'recovery-code-used',
  recipients,
  sample: { left: 7 },
  texts: {
    en: ({ left }) =>
      english(
        'A recovery code was used',
        `A recovery code was used in place of your second factor. ${left} unused codes are left.`,
      ),
    es: ({ left }) =>
      spanish(
        'Se usó un código de recuperación',
        `Se usó un código de recuperación en lugar de su segundo factor. Códigos que quedan sin usar: ${left}.`,
      ),
  },
})
