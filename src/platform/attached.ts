/**
 * Values that belong to objects and live no longer than these, for objects that come and go with requests. A WeakMap would work
 * as well, but V8 treats all values of a WeakMap as alive whenever it collects young objects: what they refer to would
 * stay in memory until old objects are collected too.
 */
export class Attached<Owner extends object, Value> {
  readonly #name = Symbol('attached');

  get(owner: Owner): Value | undefined {
    return (owner as Readonly<Record<symbol, Value | undefined>>)[this.#name];
  }

  set(owner: Owner, value: Value): void {
    Object.defineProperty(owner, this.#name, { value, writable: true, configurable: true });
  }
}
