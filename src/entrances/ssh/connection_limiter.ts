import type { Socket } from 'node:net';
import type { SshLimits } from '#src/entrances/ssh/limits.ts';
import { LeakyBucket } from '#src/platform/limits/leaky_bucket.ts';
import { networkOf } from '#src/platform/limits/network.ts';

/** A connection, as far as the limiter needs it. */
export interface Guest {
  readonly network: string;
  /** Whether it is logged in. */
  isIn: boolean;
  /** Number of running commands. */
  running: number;
  /** Closes the connection. */
  leave(): void;
}

/** Maximum number of networks that are remembered. */
const NETWORKS = 10_000;

/**
 * Decides which connections stay. If there are too many, the oldest idle one is closed: of the same network, or of the network
 * with the most connections, so that connections alone cannot lock others out.
 */
export class ConnectionLimiter {
  readonly #limits: SshLimits;
  /** In order of arrival. */
  readonly #guests = new Set<Guest>();
  readonly #failures: LeakyBucket;
  /** Key exchanges, which are expensive for the server: in all, and per network. */
  readonly #exchanges: LeakyBucket;
  readonly #exchangesEach: LeakyBucket;

  constructor(limits: SshLimits) {
    this.#limits = limits;
    this.#failures = new LeakyBucket({ perSecond: limits.failures / 60, atOnce: limits.failures }, NETWORKS);
    this.#exchanges = new LeakyBucket(limits.exchanges, 1);
    this.#exchangesEach = new LeakyBucket(limits.exchangesEach, NETWORKS);
  }

  get guests(): ReadonlySet<Guest> {
    return this.#guests;
  }

  /**
   * Admits a connection; `leave` closes it to make room for others. Null if it is rejected.
   *
   * @returns with the milliseconds that its key exchange must wait
   */
  admit(socket: Pick<Socket, 'remoteAddress'>, leave: () => void): { guest: Guest; wait: number } | null {
    const network = networkOf(socket.remoteAddress ?? '');
    const { connections, connectionsEach, strangers, strangersEach, patience } = this.#limits;
    if (this.#failures.wait(network) > 0) return null;
    const wait = Math.max(this.#exchangesEach.wait(network), this.#exchanges.wait(''));
    if (wait > patience) return null;
    this.#exchangesEach.take(network);
    this.#exchanges.take('');
    const isStranger = ({ isIn }: Guest) => !isIn;
    const isIdle = ({ running }: Guest) => running === 0;
    const isOwn = (guest: Guest) => guest.network === network;
    const bounds: [number, (guest: Guest) => boolean, (guest: Guest) => boolean][] = [
      [strangersEach, (guest) => isStranger(guest) && isOwn(guest), isStranger],
      [strangers, isStranger, isStranger],
      [connectionsEach, isOwn, isIdle],
      [connections, () => true, isIdle],
    ];
    for (const [most, counts, mayGo] of bounds) {
      const counted = [...this.#guests].filter(counts);
      if (counted.length < most) continue;
      const goes = longestOf(counted, mayGo);
      if (!goes) return null;
      this.leave(goes);
      goes.leave();
    }
    const guest: Guest = { network, isIn: false, running: 0, leave };
    this.#guests.add(guest);
    return { guest, wait };
  }

  leave(guest: Guest): void {
    this.#guests.delete(guest);
  }

  /** Counts a failed login. */
  fail({ network }: Guest): void {
    this.#failures.take(network);
  }
}

/** The first closable connection of the network with the most of them. */
function longestOf(guests: readonly Guest[], mayGo: (guest: Guest) => boolean): Guest | undefined {
  const counts = new Map<string, number>();
  for (const { network } of guests) counts.set(network, (counts.get(network) ?? 0) + 1);
  const candidates = guests.filter(mayGo);
  const most = Math.max(...candidates.map(({ network }) => counts.get(network) ?? 0));
  return candidates.find(({ network }) => counts.get(network) === most);
}
