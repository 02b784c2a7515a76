import { LRUCache } from 'lru-cache';
import type { EventToSend } from '#src/domain/webhooks/request.ts';

/** Characters of all cached bodies, and of one of them. */
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;
const MAX_CACHED_BODY_LENGTH = 1024 * 1024;

/** Caches the bodies of the latest events: one that goes to many hooks at once is read or built once. */
export class Bodies {
  readonly #make: (event: EventToSend) => Promise<string>;
  readonly #making = new Map<number, Promise<string>>();
  readonly #made = new LRUCache<number, string>({
    maxSize: MAX_CACHED_CHARACTERS,
    maxEntrySize: MAX_CACHED_BODY_LENGTH,
    sizeCalculation: (body) => body.length + 1,
  });

  constructor(make: (event: EventToSend) => Promise<string>) {
    this.#make = make;
  }

  async of(event: EventToSend): Promise<string> {
    const { id } = event;
    const known = this.#made.get(id) ?? this.#making.get(id);
    if (known !== undefined) return known;
    const making = this.#make(event).finally(() => this.#making.delete(id));
    this.#making.set(id, making);
    const body = await making;
    this.#made.set(id, body);
    return body;
  }
}
