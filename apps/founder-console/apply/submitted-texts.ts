import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const submitted = catalogue({
  states: {
    applied: {
      title: text('Application sent', 'Solicitud enviada'),
      lead: text(
        'We received your application. Keep its ID and include it when you contact us.',
        'Recibimos su solicitud. Conserve su ID e inclúyalo cuando nos contacte.',
      ),
    },
    approved: {
      title: text('Application approved', 'Solicitud aprobada'),
      lead: text(
        'Your invitation is in an email to your business address. It is valid for seven days and works once.',
        'Su invitación está en un correo a su dirección comercial. Es válida durante siete días y sirve una vez.',
      ),
    },
    rejected: {
      title: text('Application rejected', 'Solicitud rechazada'),
      lead: text(
        'The reason is in an email to your business address. You can send another application.',
        'El motivo está en un correo a su dirección comercial. Puede enviar otra solicitud.',
      ),
    },
  },
  id: text('Application ID', 'ID de la solicitud'),
  mailTo: text(
    (email: string) => `We will reply to ${email}.`,
    email => `Responderemos a ${email}.`,
  ),
  warningsTitle: text('Before you continue', 'Antes de continuar'),
  warnings: {
    'authorization-required': text(
      (code: string) =>
        `The issuer of ${code} authorizes each account that holds it. Ask it to authorize your anchor once it is set up.`,
      code =>
        `El emisor de ${code} autoriza cada cuenta que lo tiene. Pídale que autorice su anchor cuando esté instalado.`,
    ),
    revocable: text(
      (code: string) => `The issuer of ${code} can freeze what your anchor holds.`,
      code => `El emisor de ${code} puede congelar lo que tiene su anchor.`,
    ),
    clawback: text(
      (code: string) => `The issuer of ${code} can take back what your anchor holds.`,
      code => `El emisor de ${code} puede recuperar lo que tiene su anchor.`,
    ),
  },
  nextTitle: text('What happens next', 'Qué pasa ahora'),
  next: [
    {
      title: text('We review it', 'La revisamos'),
      detail: text(
        'An administrator checks your company, rails and licence.',
        'Un administrador comprueba su empresa, sus medios de pago y su licencia.',
      ),
    },
    {
      title: text('You get an email', 'Recibe un correo'),
      detail: text(
        'If it is approved, the email holds an invitation that is valid for seven days and works once. If not, it gives the reason.',
        'Si se aprueba, el correo contiene una invitación válida durante siete días que sirve una vez. Si no, explica el motivo.',
      ),
    },
    {
      title: text('You launch the anchor', 'Lanza el anchor'),
      detail: text(
        'Redeem the invitation, choose a subdomain and watch the setup.',
        'Canjee la invitación, elija un subdominio y siga la instalación.',
      ),
    },
  ],
  again: text('Send another application', 'Enviar otra solicitud'),
  haveInvitation: text('Redeem an invitation', 'Canjear una invitación'),
})
