import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const redeem: Translation<typeof english.redeem> = {
  title: 'Lance su anchor',
  documentTitle: 'Canjear una invitación',
  leadFor: company => `Para ${company}. Elija un subdominio y después instalamos el anchor.`,
  validUntil: when => `Válida hasta el ${when}. Sirve una vez.`,
  invitedAs: 'Invitado como',
  subdomain: {
    label: 'Subdominio',
    hint: 'De 3 a 63 letras minúsculas, dígitos y guiones. No se puede cambiar después.',
    checking: 'Comprobando si está libre',
    available: 'Libre. La dirección de su anchor:',
    unknown: 'No se pudo comprobar si está libre. Se comprueba otra vez al continuar.',
    tooShort: length => `Añada al menos ${3 - length} ${length === 2 ? 'carácter' : 'caracteres'} más`,
    badCharacter: character => `«${character}» no se admite. Use letras minúsculas, dígitos y guiones.`,
    hyphenAtEnd: 'Empiece y termine con una letra o un dígito, no con un guion',
    missing: 'Escriba un subdominio',
  },
  fullName: { label: 'Su nombre completo', missing: 'Escriba su nombre completo' },
  password: {
    label: 'Contraseña',
    hint: 'Inicia sesión con un código enviado por correo. La contraseña confirma los cambios delicados.',
    tooShort: 'Use al menos 8 caracteres',
    tooLong: 'Use como máximo 256 caracteres',
  },
  send: 'Lanzar el anchor',
  failed: 'La invitación no se canjeó',
  none: {
    title: 'Canjear una invitación',
    lead: 'Abra el enlace del correo que aprobó su solicitud o péguelo aquí.',
    label: 'Enlace o código de la invitación',
    missing: 'Pegue el enlace o el código de su correo',
    go: 'Continuar',
  },
  refused: {
    unknown: {
      title: 'Invitación no encontrada',
      detail: 'Puede que el enlace esté incompleto. Copie el enlace entero del correo y péguelo.',
    },
    used: {
      title: 'Invitación ya usada',
      detail:
        'Una invitación sirve una vez, y esta lanzó un anchor. Si fue usted, inicie sesión para encontrar el anchor en sus espacios.',
    },
    revoked: {
      title: 'Invitación revocada',
      detail: 'Si recibió un correo más nuevo, use su enlace. Si no, contáctenos.',
    },
    expired: {
      title: 'Invitación caducada',
      detail: 'Las invitaciones son válidas durante siete días. Contáctenos para recibir una nueva.',
    },
    gone: {
      title: 'La invitación ya no es válida',
      detail: 'Contáctenos para recibir una nueva.',
    },
  },
  another: 'Usar otro enlace',
}
