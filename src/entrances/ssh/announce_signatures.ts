import type { Connection } from 'ssh2';
import { SIGNATURES } from '#src/entrances/ssh/algorithms.ts';

/** What is used of ssh2's own protocol, whose version is pinned. */
interface Protocol {
  _onHandshakeComplete(...facts: unknown[]): void;
  readonly _packetRW: { readonly write: PacketWriter };
}

interface PacketWriter {
  /** Where the payload begins in a packet. */
  readonly allocStart: number;
  alloc(size: number): Buffer;
  /** A method of the class, unless one of the object itself hides it. */
  finalize?: (packet: Buffer, force?: boolean) => Buffer;
}

/** SSH_MSG_EXT_INFO (RFC 8308). */
const EXT_INFO = 7;

/**
 * Tells a client by which signatures it may log in (`server-sig-algs`, RFC 8308). The list that ssh2 1.17 sends lacks a comma, so
 * that nobody finds `rsa-sha2-512` in it, and names DSA and SHA-1, which are refused.
 */
export function announceSignatures(client: Connection): void {
  const protocol = (client as unknown as { _protocol: Protocol })._protocol;
  const complete = protocol._onHandshakeComplete;
  let isFirst = true;
  protocol._onHandshakeComplete = (...facts) => {
    if (!isFirst) return complete(...facts);
    isFirst = false;
    const { write } = protocol._packetRW;
    // The packets of the first handshake begin with their type at this place; those that wait for later ones do not.
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
