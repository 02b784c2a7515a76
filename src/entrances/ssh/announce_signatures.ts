import type { Connection } from 'ssh2';
import { SIGNATURES } from '#src/entrances/ssh/algorithms.ts';

/** The parts of ssh2's internal protocol that are used; its version is pinned. */
interface Protocol {
  _onHandshakeComplete(...facts: unknown[]): void;
  readonly _packetRW: { readonly write: PacketWriter };
}

interface PacketWriter {
  /** Offset of the payload in a packet. */
  readonly allocStart: number;
  alloc(size: number): Buffer;
  /** A method of the class, unless overridden on the object itself. */
  finalize?: (packet: Buffer, force?: boolean) => Buffer;
}

/** SSH_MSG_EXT_INFO (RFC 8308). */
const EXT_INFO = 7;

/**
 * Tells a client which signature algorithms it may log in with (`server-sig-algs`, RFC 8308). The list that ssh2 1.17 sends lacks
 * a comma, so that clients do not find `rsa-sha2-512` in it, and names DSA and SHA-1, which are rejected.
 */
export function announceSignatures(client: Connection): void {
  const protocol = (client as unknown as { _protocol: Protocol })._protocol;
  const complete = protocol._onHandshakeComplete;
  let isFirst = true;
  protocol._onHandshakeComplete = (...facts) => {
    if (!isFirst) return complete(...facts);
    isFirst = false;
    const { write } = protocol._packetRW;
    // Packets of the first handshake have their type at this offset; those queued for later ones do not.
    write.finalize = (packet) => (packet[write.allocStart] === EXT_INFO ? announcement(write) : packet);
    try {
      complete(...facts);
    } finally {
      delete write.finalize;
    }
  };
}

function announcement(write: PacketWriter): Buffer {
  const texts = ['server-sig-algs', SIGNATURES.join(',')].map((text) => Buffer.from(text, 'latin1'));
  const payload = Buffer.concat([
    Buffer.of(EXT_INFO),
    uint32(1),
    ...texts.flatMap((text) => [uint32(text.length), text]),
  ]);
  const packet = write.alloc(payload.length);
  payload.copy(packet, write.allocStart);
  return packet;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
