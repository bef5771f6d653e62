import { catalogue, text } from '@windlass/ui/catalogue.ts'

export const signOn = catalogue({
  title: text('Single sign-on', 'Inicio de sesión único'),
  lead: text(
    'Members sign in at your own OpenID Connect provider. It adds nobody to the team.',
    'Los miembros entran con su propio proveedor de OpenID Connect. No añade a nadie al equipo.',
  ),
  set: text('Set up single sign-on', 'Configurar el inicio de sesión único'),
  change: text('Change provider', 'Cambiar el proveedor'),
  remove: text('Remove provider', 'Quitar el proveedor'),
  setLead: text(
    'For a day it signs in you alone. Every owner gets an email.',
    'Durante un día solo le sirve a usted. Cada propietario recibe un correo.',
  ),
  removeLead: text(
    'Sessions by this provider end at once. Members sign in with emailed codes.',
    'Las sesiones de este proveedor terminan al momento. Los miembros entran con códigos por correo.',
  ),
  save: text('Save', 'Guardar'),
  opens: text(
    (at: string, by: string) => `Open to everyone from ${at}; until then to ${by} alone`,
    (at, by) => `Abierto para todos desde ${at}; hasta entonces solo para ${by}`,
  ),
  redirect: text('Redirect address, for the provider', 'Dirección de retorno, para el proveedor'),
  signIn: text('Sign-in address, for your team', 'Dirección de inicio, para su equipo'),
  copyRedirect: text('redirect address', 'dirección de retorno'),
  copySignIn: text('sign-in address', 'dirección de inicio'),
  issuer: {
    label: text('Issuer', 'Emisor (issuer)'),
    hint: text('Such as https://login.example.com', 'Como https://login.example.com'),
    missing: text('Enter the issuer of your provider', 'Escriba el emisor de su proveedor'),
    refused: text(
      'No OpenID configuration of this issuer can be read at this https address',
      'En esta dirección https no se puede leer ninguna configuración de OpenID de este emisor',
    ),
  },
  clientId: text('Client ID', 'ID de cliente'),
  clientSecret: {
    label: text('Client secret', 'Secreto de cliente'),
    kept: text(
      'Leave it empty to keep the one that is stored.',
      'Déjelo vacío para conservar el que está guardado.',
    ),
  },
  trusts: {
    group: text('Second factor', 'Segundo factor'),
    label: text('The provider’s second factor counts', 'El segundo factor del proveedor cuenta'),
    hint: text(
      'It replaces the second factor here, and confirms people for 15 minutes after they gave it.',
      'Sustituye al segundo factor de aquí y confirma a las personas durante 15 minutos.',
    ),
  },
  missing: text('Enter a value', 'Escriba un valor'),
  yes: text('Yes', 'Sí'),
  no: text('No', 'No'),
  failed: text('Single sign-on was not changed', 'El inicio de sesión único no se cambió'),
})
