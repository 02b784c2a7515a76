import { LRUCache } from 'lru-cache';
import { findSite, ofDomain, type Site } from '#src/domain/sites/find.ts';
import { isOpen } from '#src/domain/sites/visit.ts';
import type { SiteSettings } from '#src/platform/config/pages_host.ts';
import { type Db, Prisma, queryRows } from '#src/platform/database/db.ts';

const { sql } = Prisma;

/** Addresses that are remembered, and for how many milliseconds. */
const MAX_ADDRESSES = 5_000;
const USUAL_MEMORY_MS = 1_000;

/** A site, and whether everybody may visit it. */
export interface FoundSite {
  site: Site;
  isOpen: boolean;
}

/**
 * What is at the addresses of sites. Sites that are open to everybody are remembered for a moment, and so are hosts without any: a site that is closed is
 * so a second later at the latest. Others are looked up for each request.
 */
export class SiteAddresses {
  readonly #db: Db;
  readonly #settings: SiteSettings;
  readonly #open: LRUCache<string, FoundSite> | null;
  readonly #domains: LRUCache<string, boolean> | null;

  constructor(db: Db, settings: SiteSettings, memory = USUAL_MEMORY_MS) {
    this.#db = db;
    this.#settings = settings;
    this.#open = memory === 0 ? null : new LRUCache({ max: MAX_ADDRESSES, ttl: memory });
    this.#domains = memory === 0 ? null : new LRUCache({ max: MAX_ADDRESSES, ttl: memory });
  }

  /** The site at an address; null if there is none. */
  async find(hostname: string, path: string): Promise<FoundSite | null> {
    const key = `${hostname} ${path}`;
    const known = this.#open?.get(key);
    if (known) return known;
    if (this.#domains?.get(hostname) === false) return null;
    const site = await findSite(this.#db, this.#settings, hostname, path);
    if (!site) return null;
    const found = { site, isOpen: await isOpen(this.#db, site) };
    if (found.isOpen) this.#open?.set(key, found);
    return found;
  }

  /** Whether a host is the domain of a project. */
  async isDomain(hostname: string): Promise<boolean> {
    const known = this.#domains?.get(hostname);
    if (known !== undefined) return known;
    const found = await queryRows<{ id: number }>(
      this.#db,
      sql`SELECT p.id FROM projects p WHERE p.deleted_at IS NULL AND ${ofDomain(hostname)} LIMIT 1`,
    );
    const isDomain = found.length > 0;
    this.#domains?.set(hostname, isDomain);
    return isDomain;
  }
}
