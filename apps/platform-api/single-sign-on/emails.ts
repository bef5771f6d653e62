import { declareEmail, oneLine } from '../mail/email.ts'

/** For the owners of the organization. */
export const signOnChangedEmail = declareEmail<{ by: string; issuer: string | null }>({
  name: 'single-sign-on-changed',
  recipients: ['operator'],
  sample: { by: 'owner@sample.example', issuer: 'https://login.sample.example' },
  texts: {
    en: ({ by, issuer }) => ({
      subject: issuer ? 'Single sign-on was set' : 'Single sign-on was removed',
      paragraphs: [
        'Hello,',
        issuer
          ? `${oneLine(by)} set ${oneLine(issuer)} as the provider that signs in members of your organization. For a day it signs in nobody but them; after that, everyone in your team.`
          : `${oneLine(by)} removed the provider that signed in members of your organization. Its sessions ended. Everyone signs in with emailed codes.`,
      ],
      footnote:
        'If you did not expect this, sign in with an emailed code, remove the provider, and remove this person from the team.',
    }),
    es: ({ by, issuer }) => ({
      subject: issuer ? 'Se configuró el inicio de sesión único' : 'Se quitó el inicio de sesión único',
      paragraphs: [
        'Hola:',
        issuer
          ? `${oneLine(by)} configuró ${oneLine(issuer)} como proveedor que inicia las sesiones de los miembros de su organización. Durante un día solo sirve para esa persona; después, para todo su equipo.`
          : `${oneLine(by)} quitó el proveedor que iniciaba las sesiones de los miembros de su organización. Sus sesiones terminaron. Todos inician sesión con códigos por correo.`,
      ],
      footnote:
        'Si no lo esperaba, inicie sesión con un código por correo, quite el proveedor y quite a esta persona del equipo.',
    }),
  },
})
