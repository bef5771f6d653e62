import { PUBLIC_NETWORK, TEST_NETWORK } from '../network.ts'

/** Who signs what closes a ledger: validators, by the organization that runs them. */
export interface Organization {
  /** By which people know it. */
  domain: string
  /** `G…` */
  validators: readonly string[]
}

/** The tier-1 organizations, as their home domains publish them (SEP-20), and stellar-core is configured with. */
const PUBLIC: readonly Organization[] = [
  {
    domain: 'www.stellar.org',
    validators: [
      'GCGB2S2KGYARPVIA37HYZXVRM2YZUEXA6S33ZU5BUDC6THSB62LZSTYH',
      'GCM6QMP3DLRPTAZW2UZPCPX2LF3SXWXKPMP3GKFZBDSF3QZGV2G5QSTK',
      'GABMKJM6I25XI4K7U6XWMULOUQIQ27BCTMLS6BYYSOWKTBUXVRJSXHYQ',
    ],
  },
  {
    domain: 'publicnode.org',
    validators: [
      'GCVJ4Z6TI6Z2SOGENSPXDQ2U4RKH3CNQKYUHNSSPYFPNWTLGS6EBH7I2',
      'GCIXVKNFPKWVMKJKVK2V4NK7D4TC6W3BUMXSIJ365QUAXWBRPPJXIR2Z',
      'GBLJNN3AVZZPG2FYAYTYQKECNWTQYYUUY2KVFN2OUKZKBULXIXBZ4FCT',
    ],
  },
  {
    domain: 'lobstr.co',
    validators: [
      'GCFONE23AB7Y6C5YZOMKUKGETPIAJA4QOYLS5VNS4JHBGKRZCPYHDLW7',
      'GCB2VSADESRV2DDTIVTFLBDI562K6KE3KMKILBHUHUWFXCUBHGQDI7VL',
      'GA5STBMV6QDXFDGD62MEHLLHZTPDI77U3PFOD2SELU5RJDHQWBR5NNK7',
    ],
  },
  {
    domain: 'www.franklintempleton.com',
    validators: [
      'GARYGQ5F2IJEBCZJCBNPWNWVDOFK7IBOHLJKKSG2TMHDQKEEC6P4PE4V',
      'GCMSM2VFZGRPTZKPH5OABHGH4F3AVS6XTNJXDGCZ3MKCOSUBH3FL6DOB',
      'GA7DV63PBUUWNUFAF4GAZVXU2OZMYRATDLKTC7VTCG7AU4XUPN5VRX4A',
    ],
  },
  {
    domain: 'satoshipay.io',
    validators: [
      'GC5SXLNAM3C4NMGK2PXK4R34B5GNZ47FYQ24ZIBFDFOCU6D4KBN4POAE',
      'GBJQUIXUO4XSNPAUT6ODLZUJRV2NPXYASKUBY4G5MYP3M47PCVI55MNT',
      'GAK6Z5UVGUVSEK6PEOCAYJISTT5EJBB34PN3NOLEQG2SUKXRVV2F6HZY',
    ],
  },
  {
    domain: 'stellar.creit.tech',
    validators: [
      'GBF7QOLFPTHUEDUPTT4ZTULDTA3QXDIO75JHKJN2IYD7YGQLYUTR75BT',
      'GBPLJDBFZO2H7QQH7YFCH3HFT6EMC42Z2DNJ2QFROCKETAPY54V4DCZD',
      'GDDANSYOYSY5EPSFHBRPCLX6XMHPPLIMHVIDXG6IPQLVVLRI2BN4HMH3',
    ],
  },
  {
    domain: 'stellar.blockdaemon.com',
    validators: [
      'GAAV2GCVFLNN522ORUYFV33E76VPC22E72S75AQ6MBR5V45Z5DWVPWEU',
      'GAVXB7SBJRYHSG6KSQHY74N7JAFRL4PFVZCNWW2ARI6ZEKNBJSMSKW7C',
      'GAYXZ4PZ7P6QOX7EBHPIZXNWY4KCOBYWJCA4WKWRKC7XIUS3UJPT6EZ4',
    ],
  },
]

const TEST: readonly Organization[] = [
  {
    domain: 'testnet.stellar.org',
    validators: [
      'GDKXE2OZMJIPOSLNA6N6F2BVCI3O777I2OOC4BV7VOYUEHYX7RTRYA7Y',
      'GCUCJTIYXSOXKBSNFGNFWW5MUQ54HKRPGJUTQFJ5RQXZXNOLNXYDHRAP',
      'GC2V2EFSXN6SQTWVYA5EPJPBWWIMSD2XQNKUOHGEKB535AQE2I6IXV2Z',
    ],
  },
]

/** By the passphrase of their network: who signs, and where history is published by several of them. */
export const KNOWN_NETWORKS: Readonly<
  Record<string, { organizations: readonly Organization[]; archives: readonly string[] }>
> = {
  [PUBLIC_NETWORK]: {
    organizations: PUBLIC,
    archives: [
      'https://history.stellar.org/prd/core-live/core_live_001',
      'https://archive.v1.stellar.lobstr.co',
      'https://bootes-history.publicnode.org',
    ],
  },
  [TEST_NETWORK]: {
    organizations: TEST,
    archives: [
      'https://history.stellar.org/prd/core-testnet/core_testnet_001',
      'https://history.stellar.org/prd/core-testnet/core_testnet_002',
    ],
  },
}

/** The validators of an organization that a signature of more than half of them speaks for. */
const agrees = ({ validators }: Organization, signed: ReadonlySet<string>): boolean =>
  2 * validators.filter(key => signed.has(key)).length > validators.length

/** Whether more than two thirds of the organizations signed; each speaks by more than half of its validators. */
export function isQuorum(organizations: readonly Organization[], signed: ReadonlySet<string>): boolean {
  const agreeing = organizations.filter(each => agrees(each, signed)).length
  return organizations.length > 0 && 3 * agreeing > 2 * organizations.length
}
