import type { AdminRole } from '@windlass/contracts/realm.ts'
import { declareEmail, type EmailParts, oneLine } from '../mail/email.ts'

interface Invitation {
  role: AdminRole
  /** The user name of the administrator who invites. */
  by: string
  url: string
  expiresAt: Date
}

const english = {
  viewer: 'viewer: you can see everything',
  operator: 'operator: you can work on applications, anchors and jobs',
  owner: 'owner: you can do everything',
} satisfies Record<AdminRole, string>

const spanish = {
  viewer: 'lector (viewer): puede verlo todo',
  operator: 'operador (operator): puede trabajar con solicitudes, anchors y trabajos',
  owner: 'propietario (owner): puede hacerlo todo',
} satisfies Record<AdminRole, string>

export const invitationEmail = declareEmail<Invitation>({
  name: 'administrator-invited',
  recipients: ['administrator'],
  sample: {
    role: 'operator',
    by: 'owner@windlass.example',
    url: 'https://admin.windlass.example/invitation#token=sample',
    expiresAt: new Date('2030-01-08T00:00:00Z'),
  },
  texts: {
    en: ({ role, by, url, expiresAt }) => ({
      subject: 'You are invited to administer Windlass',
      paragraphs: [
        'Hello,',
        `${oneLine(by)} invites you as ${english[role]}. Create your password to begin.`,
      ],
      link: { label: 'Accept invitation', url },
      footnote: `The link works once, until ${dayOf(expiresAt)}. If you do not know them, ignore this email.`,
    }),
    es: ({ role, by, url, expiresAt }) => ({
      subject: 'Le invitan a administrar Windlass',
      paragraphs: [
        'Hola:',
        `${oneLine(by)} le invita como ${spanish[role]}. Cree su contraseña para empezar.`,
      ],
      link: { label: 'Aceptar la invitación', url },
      footnote: `El enlace sirve una sola vez, hasta el ${dayOf(expiresAt)}. Si no conoce a quien le invita, ignore este correo.`,
    }),
  },
})

const dayOf = (time: Date) => time.toISOString().slice(0, 10)

const inEnglish = (subject: string, text: string): EmailParts => ({
  subject,
  paragraphs: ['Hello,', text],
  footnote: 'If you do not expect this, contact an owner of the platform.',
})

const inSpanish = (subject: string, text: string): EmailParts => ({
  subject,
  paragraphs: ['Hola:', text],
  footnote: 'Si no lo esperaba, contacte con un propietario de la plataforma.',
})

export const roleChangedEmail = declareEmail<{ by: string; before: AdminRole; after: AdminRole }>({
  name: 'administrator-role-changed',
  recipients: ['administrator'],
  sample: { by: 'owner@windlass.example', before: 'viewer', after: 'operator' },
  texts: {
    en: ({ by, before, after }) =>
      inEnglish(
        'Your role on Windlass changed',
        `${by} changed your role as administrator from ${before} to ${after}.`,
      ),
    es: ({ by, before, after }) =>
      inSpanish('Su rol en Windlass cambió', `${by} cambió su rol de administrador de ${before} a ${after}.`),
  },
})

export const removedEmail = declareEmail<{ by: string }>({
  name: 'administrator-removed',
  recipients: ['administrator'],
  sample: { by: 'owner@windlass.example' },
  texts: {
    en: ({ by }) =>
      inEnglish(
        'You no longer administer Windlass',
        `${by} removed your account as administrator. Its sessions have ended.`,
      ),
    es: ({ by }) =>
      inSpanish(
        'Ya no administra Windlass',
        `${by} eliminó su cuenta de administrador. Sus sesiones se cerraron.`,
      ),
  },
})

export const passwordChangedEmail = declareEmail<object>({
  name: 'administrator-password-changed',
  recipients: ['administrator'],
  sample: {},
  texts: {
    en: () =>
      inEnglish(
        'Your password was changed',
        'Your password as administrator was changed, and your other sessions have ended.',
      ),
    es: () =>
      inSpanish(
        'Su contraseña cambió',
        'Su contraseña de administrador cambió y sus demás sesiones se cerraron.',
      ),
  },
})
