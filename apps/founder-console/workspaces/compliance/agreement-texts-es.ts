import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './agreement-texts.ts'

export const agreements: Translation<typeof english.texts> = {
  title: 'Anchors remitentes',
  lead: 'Anchors que pueden enviar pagos directos (SEP-31) a sus clientes. Usted confía en sus comprobaciones de identidad. En las redes de prueba puede enviar cualquier cuenta.',
  add: 'Añadir acuerdo',
  empty: {
    title: 'Ningún acuerdo todavía',
    detail: 'En la red pública nadie envía pagos directos hasta que usted añade un acuerdo.',
  },
  columns: {
    name: 'Nombre',
    account: 'Cuenta',
    tier: 'Nivel de los remitentes',
    at: 'Desde',
    actions: 'Acciones',
  },
  accountOf: name => `la cuenta de ${name}`,
  form: {
    title: 'Añadir acuerdo',
    name: {
      label: 'Nombre',
      hint: 'El otro anchor, como usted lo conoce.',
      missing: 'Introduzca el nombre.',
    },
    account: {
      label: 'Cuenta',
      hint: 'La cuenta (G…) con la que inicia sesión (SEP-10).',
      invalid: 'Introduzca una cuenta de 56 caracteres que empiece por G.',
    },
    tier: {
      label: 'Nivel de sus remitentes',
      hint: 'Cada remitente tiene para sí los límites de este nivel. Elija Ampliado si el acuerdo dice que el otro anchor comprueba tanto a sus clientes.',
    },
    send: 'Añadir acuerdo',
    failed: 'El acuerdo no se guardó',
  },
  change: { title: 'Cambiar el acuerdo', action: 'Cambiar', send: 'Guardar' },
  changeWhat: name => `Cambiar el acuerdo con ${name}`,
  end: 'Terminar',
  endWhat: name => `Terminar el acuerdo con ${name}`,
  ending: {
    title: name => `¿Terminar el acuerdo con ${name}?`,
    lead: 'Los pagos nuevos de este anchor se rechazan. Los pagos en curso continúan.',
    send: 'Terminar acuerdo',
    failed: 'El acuerdo no se terminó',
  },
}
