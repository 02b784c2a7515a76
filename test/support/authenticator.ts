import crypto from 'node:crypto';

/** What `navigator.credentials` is given, as far as tests look at it. */
interface Asked {
  challenge: string;
  rp?: { id: string };
  rpId?: string;
  allowCredentials?: { id: string }[];
}

interface Key {
  id: Buffer;
  privateKey: crypto.KeyObject;
  publicKey: crypto.KeyObject;
  userId: string;
}

const base64 = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');

/** An authenticator in software: makes passkeys and signs with them what a browser would pass on. */
export class Authenticator {
  /** From where the browser says that it asks. */
  origin: string;
  /** Whether it says that it knows its user, by a finger or a PIN. */
  verifiesUser = true;
  /** How often it says that it was used. */
  counter = 0;
  readonly #keys: Key[] = [];

  constructor(origin: string) {
    this.origin = origin;
  }

  /** Makes a passkey; returns the browser's answer. */
  create(asked: Asked & { user?: { id: string } }): string {
    const pair = crypto.generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = { id: crypto.randomBytes(16), userId: asked.user?.id ?? '', ...pair };
    this.#keys.push(key);
    const { x = '', y = '' } = pair.publicKey.export({ format: 'jwk' });
    const cose = cbor(
      new Map<number, Value>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    );
    const length = Buffer.from([0, key.id.length]);
    const authData = Buffer.concat([this.#data(asked.rp?.id ?? '', 0x40), Buffer.alloc(16), length, key.id, cose]);
    const attestation = new Map<string, Value>([
      ['fmt', 'none'],
      ['attStmt', new Map<string, Value>()],
      ['authData', authData],
    ]);
    return this.#answer(key, {
      clientDataJSON: this.#client('webauthn.create', asked),
      attestationObject: base64(cbor(attestation)),
      transports: ['internal'],
    });
  }

  /** Signs with a passkey that is asked for, or with the one made last; returns the browser's answer. */
  get(asked: Asked): string {
    const allowed = asked.allowCredentials?.map(({ id }) => id) ?? [];
    const key = this.#keys.findLast(({ id }) => allowed.length === 0 || allowed.includes(base64(id)));
    if (!key) throw new Error('no passkey that is asked for');
    this.counter += 1;
    const clientDataJSON = this.#client('webauthn.get', asked);
    const authenticatorData = this.#data(asked.rpId ?? '', 0);
    const hash = crypto.createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
    const signature = crypto.sign('sha256', Buffer.concat([authenticatorData, hash]), key.privateKey);
    const response = { clientDataJSON, authenticatorData: base64(authenticatorData), signature: base64(signature) };
    return this.#answer(key, { ...response, userHandle: key.userId });
  }

  #answer({ id }: Key, response: object): string {
    const named = { id: base64(id), rawId: base64(id), type: 'public-key' };
    return JSON.stringify({ ...named, response, clientExtensionResults: {} });
  }

  #client(type: string, { challenge }: Asked): string {
    return base64(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }));
  }

  #data(host: string, flags: number): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const present = flags | 0x01 | (this.verifiesUser ? 0x04 : 0);
    return Buffer.concat([crypto.createHash('sha256').update(host).digest(), Buffer.from([present]), counter]);
  }
}

type Value = number | string | Buffer | Map<string, Value> | Map<number, Value>;

/** CBOR of what attestations are made of. */
function cbor(value: Value): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, value.length), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const entries = [...(value as Map<string, Value>)];
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, one]) => [cbor(key), cbor(one)])]);
}

function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size]);
  return size < 256 ? Buffer.from([(major << 5) | 24, size]) : Buffer.from([(major << 5) | 25, size >> 8, size & 0xff]);
}
