import { catalogue, text, type Text } from '../catalogue.ts'

export const signOnTexts = catalogue({
  title: text('Single sign-on', 'Inicio de sesión único'),
  lead: text(
    'Sign in at your organization’s own provider.',
    'Inicie sesión en el proveedor de su organización.',
  ),
  organization: {
    label: text('Organization', 'Organización'),
    hint: text(
      'Its short name, such as harbour. Your team has it.',
      'Su nombre corto, como puerto. Su equipo lo tiene.',
    ),
    missing: text('Enter the short name of your organization', 'Escriba el nombre corto de su organización'),
    unknown: text(
      'No organization with single sign-on has this short name',
      'Ninguna organización con inicio de sesión único tiene este nombre corto',
    ),
  },
  send: text('Continue', 'Continuar'),
  waiting: text('Signing in…', 'Iniciando sesión…'),
  failed: text('Sign-in failed', 'No se pudo iniciar sesión'),
  /** By the code of the refusal. */
  refused: {
    'attempt-over': text(
      'This sign-in took too long, was used already, or began in another tab.',
      'Este inicio de sesión tardó demasiado, ya se usó o empezó en otra pestaña.',
    ),
    'provider-unreachable': text(
      'The provider does not answer. Try again later.',
      'El proveedor no responde. Inténtelo más tarde.',
    ),
    'provider-refused': text('The provider did not sign you in.', 'El proveedor no inició su sesión.'),
    'email-not-verified': text(
      'The provider has not verified your email address. Ask who runs it.',
      'El proveedor no ha verificado su correo electrónico. Pregunte a quien lo administra.',
    ),
    'no-member': text(
      'Nobody here has your email address. Ask an owner to add you.',
      'Nadie aquí tiene su correo electrónico. Pida a un propietario que le añada.',
    ),
    'other-person': text(
      'This address signs in by another account of the provider. Ask an owner to remove and add you again.',
      'Esta dirección entra con otra cuenta del proveedor. Pida a un propietario que le quite y le añada otra vez.',
    ),
    'other-administrator': text(
      'This address signs in by another account of the provider. Ask an owner to remove you as administrator and invite you again.',
      'Esta dirección entra con otra cuenta del proveedor. Pida a un propietario que le quite como administrador y le invite otra vez.',
    ),
    'opens-later': text(
      'This single sign-on is new. For a day it is open only to who set it.',
      'Este inicio de sesión único es nuevo. Durante un día solo sirve a quien lo configuró.',
    ),
  } satisfies Record<string, Text>,
})
