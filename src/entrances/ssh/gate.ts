import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { SshLimits } from '#src/entrances/ssh/limits.ts';
import { Pace } from '#src/entrances/ssh/pace.ts';
import { networkOf } from '#src/platform/limits/network.ts';

/** A connection, as far as its place among the others goes. */
export interface Guest {
  readonly network: string;
  /** Whether somebody has logged in on it. */
  isIn: boolean;
  /** Commands that run on it. */
  running: number;
  /** Ends it. */
  leave(): void;
}

const MINUTE = 60_000;
const NETWORKS = 10_000;

/**
 * Decides which connections stay. Where there are too many, the one of those that do nothing goes that has been there longest: of
 * the same network, or of the network that has the most. So nobody keeps others out by connections alone.
 */
export class Gate {
  readonly #limits: SshLimits;
  /** In the order in which they came. */
  readonly #guests = new Set<Guest>();
  readonly #failures = new LRUCache<string, number>({ max: NETWORKS, ttl: MINUTE, noUpdateTTL: true });
  readonly #pace: Pace;

  constructor(limits: SshLimits) {
    this.#limits = limits;
    this.#pace = new Pace(limits.exchanges, limits.exchangesEach);
  }

  get guests(): ReadonlySet<Guest> {
    return this.#guests;
  }

  /** Lets a connection in, which calls `leave` of its guest when it ends; null when it has to go. `wait` is as Pace has it. */
  admit(socket: Socket, leave: () => void): { guest: Guest; wait: number } | null {
    const network = networkOf(socket.remoteAddress ?? '');
    const { connections, connectionsEach, strangers, strangersEach, failures, patience } = this.#limits;
    if ((this.#failures.get(network) ?? 0) >= failures) return null;
    const wait = this.#pace.turn(network, patience);
    if (wait === null) return null;
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

  /** Counts a login that failed. */
  fail({ network }: Guest): void {
    this.#failures.set(network, (this.#failures.get(network) ?? 0) + 1);
  }
}

/** The first one of the network with the most of them that may go. */
function longestOf(guests: readonly Guest[], mayGo: (guest: Guest) => boolean): Guest | undefined {
  const counts = new Map<string, number>();
  for (const { network } of guests) counts.set(network, (counts.get(network) ?? 0) + 1);
  const candidates = guests.filter(mayGo);
  const most = Math.max(...candidates.map(({ network }) => counts.get(network) ?? 0));
  return candidates.find(({ network }) => counts.get(network) === most);
}
