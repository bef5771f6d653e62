import { declareEmail, oneLine } from '../mail/email.ts'

/** Nothing in it was written by the applicant: anyone can name any address. */
export const receivedEmail = declareEmail<{ applicationId: string }>({
  name: 'application-received',
  recipients: ['applicant'],
  sample: { applicationId: 'app_sample' },
  texts: {
    en: ({ applicationId }) => ({
      subject: 'We received your application for an anchor',
      paragraphs: [
        'Hello,',
        'We received your application for a Stellar anchor. An administrator reviews it, and we email you the decision.',
        `Your application ID: ${applicationId}`,
      ],
      footnote: 'If you did not apply, ignore this email. Nothing happens without your invitation.',
    }),
    es: ({ applicationId }) => ({
      subject: 'Recibimos su solicitud de un anchor',
      paragraphs: [
        'Hola:',
        'Recibimos su solicitud de un anchor de Stellar. Un administrador la revisa y le enviamos la decisión por correo.',
        `El ID de su solicitud: ${applicationId}`,
      ],
      footnote: 'Si no envió ninguna solicitud, ignore este correo. Sin su invitación no ocurre nada.',
    }),
  },
})

interface Rejection {
  company: string
  reason: string | null
}

export const rejectionEmail = declareEmail<Rejection>({
  name: 'application-rejected',
  recipients: ['applicant'],
  sample: { company: 'Sample Payments Ltd', reason: 'The licence number is not in the register.' },
  texts: {
    en: ({ company, reason }) => ({
      subject: `Your application for ${oneLine(company)}`,
      paragraphs: [
        'Hello,',
        `We reviewed the application for ${oneLine(company)} and cannot approve it.`,
        ...(reason ? [`The reason given: ${reason}`] : []),
        'You can apply again. The payment rail credentials in the application have been deleted.',
      ],
    }),
    es: ({ company, reason }) => ({
      subject: `Su solicitud para ${oneLine(company)}`,
      paragraphs: [
        'Hola:',
        `Revisamos la solicitud de ${oneLine(company)} y no podemos aprobarla.`,
        ...(reason ? [`El motivo indicado: ${reason}`] : []),
        'Puede enviar otra solicitud. Las credenciales de los medios de pago de esta se han eliminado.',
      ],
    }),
  },
})

interface Invitation {
  company: string
  redeemUrl: string
  expiresAt: Date
}

export const invitationEmail = declareEmail<Invitation>({
  name: 'application-approved',
  recipients: ['applicant'],
  sample: {
    company: 'Sample Payments Ltd',
    redeemUrl: 'https://windlass.example/redeem#token=sample',
    expiresAt: new Date('2030-01-08T00:00:00Z'),
  },
  texts: {
    en: ({ company, redeemUrl, expiresAt }) => ({
      subject: `${oneLine(company)} is approved: create your anchor`,
      paragraphs: [
        'Hello,',
        `The application for ${oneLine(company)} is approved. Choose your anchor's address and we create the anchor for you.`,
      ],
      link: { label: 'Create your anchor', url: redeemUrl },
      footnote: `The link works once, until ${dayOf(expiresAt)}. Anyone who has it can use it, so do not share it.`,
    }),
    es: ({ company, redeemUrl, expiresAt }) => ({
      subject: `${oneLine(company)} está aprobada: cree su anchor`,
      paragraphs: [
        'Hola:',
        `La solicitud de ${oneLine(company)} está aprobada. Elija la dirección de su anchor y lo creamos para usted.`,
      ],
      link: { label: 'Crear el anchor', url: redeemUrl },
      footnote: `El enlace sirve una sola vez, hasta el ${dayOf(expiresAt)}. Cualquiera que lo tenga puede usarlo, así que no lo comparta.`,
    }),
  },
})

const dayOf = (time: Date) => time.toISOString().slice(0, 10)
