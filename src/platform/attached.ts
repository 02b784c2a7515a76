/**
 * Values that belong to objects and live no longer than these: for objects that come and go with requests. A WeakMap would do as
 * well, but V8 takes all values of a WeakMap for alive whenever it collects young objects. Each request would leave
 * behind all that its values lead to, until old objects are collected too.
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
