/**
 * Ports of services that speak no HTTP, or speak it and must not be reached by a crawler: the bad
 * ports of the Fetch standard, then databases, caches, brokers and container or cluster control.
 */
export const BAD_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 445,
  465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 873, 989,
  990, 993, 995, 1433, 1521, 1719, 1720, 1723, 2049, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 3659,
  4045, 4190, 4369, 5060, 5061, 5432, 5672, 5984, 6000, 6379, 6443, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 7001, 7474, 8086, 8500, 9042, 9092, 9200, 9300, 10080, 10250, 10255, 11211,
  15672, 27017, 50070,
])

/**
 * Top-level names that never belong to a public site: those reserved by RFC 6761, 6762 (local),
 * 7686 (onion), 8375 (home.arpa) and 9476 (alt), those that ICANN keeps out of the root (internal,
 * corp, home, mail), and those that home routers, container engines, clusters and service discovery
 * use for themselves.
 */
export const SPECIAL_USE_TLDS: ReadonlySet<string> = new Set([
  'alt',
  'arpa',
  'example',
  'invalid',
  'local',
  'localhost',
  'onion',
  'test',
  'corp',
  'home',
  'internal',
  'mail',
  'consul',
  'container',
  'containers',
  'cluster',
  'default',
  'docker',
  'domain',
  'gateway',
  'intra',
  'intranet',
  'kube',
  'lan',
  'localdomain',
  'localdomain4',
  'localdomain6',
  'localhost4',
  'localhost6',
  'node',
  'pod',
  'priv',
  'private',
  'router',
  'svc',
  'vpn',
  'workgroup',
])
