import type { Translation } from '@windlass/ui/catalogue.ts'
import type * as english from './texts.ts'

export const home: Translation<typeof english.home> = {
  title: 'Lance un anchor de Stellar',
  lead: 'Háblenos de su empresa y de sus medios de pago. Cuando se apruebe, un clic crea su activo, su dominio y los servidores que mueven el dinero entre ellos.',
  apply: 'Solicitar un anchor',
  redeem: 'Canjear una invitación',
  stagesTitle: 'Siga cada paso',
  stages: {
    'Generating Stellar keys': 'Claves de firma, emisión y distribución, cifradas en reposo.',
    'Funding accounts & issuing asset on Stellar': 'Cuentas, una línea de confianza y su activo en la red.',
    'Generating configuration files': 'Su stellar.toml y los ajustes de sus servidores.',
    'Setting up databases': 'Una base de datos propia con su propio rol.',
    'Spawning containers': 'El servidor SEP y el servidor de negocio.',
    'Waiting for stack to be healthy':
      'El descubrimiento y el inicio de sesión en su dominio tienen que funcionar.',
    completed: 'Incluido en las rutas, para que las billeteras lo encuentren.',
  },
  stepsTitle: 'Cómo funciona',
  steps: [
    {
      title: 'Solicite',
      detail: 'Tarda unos cinco minutos. El borrador queda en su dispositivo hasta que lo envía.',
    },
    {
      title: 'Reciba la aprobación',
      detail: 'Un administrador la revisa. Recibe por correo una invitación válida durante siete días.',
    },
    {
      title: 'Elija un subdominio',
      detail: 'Canjee la invitación y siga cada etapa de la instalación.',
    },
    {
      title: 'Atienda a sus clientes',
      detail:
        'Las billeteras inician sesión en su dominio. Un cliente verificado una vez lo está en todos los anchors.',
    },
  ],
}
