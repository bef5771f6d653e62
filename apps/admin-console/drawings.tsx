/** What the pages of administrators are marked with, beside the icons of all consoles. */
export const drawings = {
  list: <path d="M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1" />,
  route: (
    <path d="M3.5 12.5c5 0 4-9 9-9m-2.3-1.7 2.3 1.7-2.3 1.8M8.6 10.4c.9 1.2 2.1 2.1 3.9 2.1m-2.3-1.7 2.3 1.7-2.3 1.7" />
  ),
  people: (
    <path d="M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6ZM1.8 13c.3-2.4 2-3.6 4.2-3.6s3.9 1.2 4.2 3.6M10.6 3.2a2.3 2.3 0 0 1 0 4M12 9.8c1.3.5 2.1 1.6 2.3 3.2" />
  ),
  gear: <path d="M3 4.5h6M12 4.5h1M3 11.5h1M7 11.5h6M10.5 3v3M5.5 10v3" />,
  fleet: <path d="M2.5 12.5v-4M6.2 12.5v-7M9.8 12.5v-5M13.5 12.5v-9" />,
  inbox: <path d="M2.5 9h3l1 2h3l1-2h3M2.5 9l1.7-5.5h7.6L13.5 9v3.5h-11Z" />,
}
