import { REMOTE_LIMITS, type RemoteLimits } from '#src/domain/repository/remote/limits.ts';
import type { Rate } from '#src/platform/limits/leaky_bucket.ts';

/** Limits of clients of the SSH server. Times are in milliseconds. */
export interface SshLimits extends RemoteLimits {
  /** Connections in all, and per network (an IPv4 address, an IPv6 network of 64 bits). */
  connections: number;
  connectionsEach: number;
  /** Connections that have not logged in. */
  strangers: number;
  strangersEach: number;
  /** New key exchanges, in all and per network. */
  exchanges: Rate;
  exchangesEach: Rate;
  /** How long a connection may wait for its key exchange. */
  patience: number;
  /** Failed logins per network and minute, after which it is rejected. */
  failures: number;
  /** How long a client may take to log in. */
  login: number;
  /** Keys offered plus wrong signatures before the connection ends. */
  offers: number;
  wrongSignatures: number;
  /** How long a connection may stay idle. */
  idle: number;
  /** Concurrent commands on one connection. */
  sessions: number;
  /** Key exchanges on one connection within a minute. */
  rekeys: number;
  /** How long a command may wait for input from its client. */
  silence: number;
}

export const SSH_LIMITS: SshLimits = {
  ...REMOTE_LIMITS,
  connections: 1_000,
  connectionsEach: 400,
  strangers: 500,
  strangersEach: 250,
  exchanges: { perSecond: 60, atOnce: 120 },
  exchangesEach: { perSecond: 20, atOnce: 60 },
  patience: 10_000,
  failures: 100,
  login: 30_000,
  offers: 100,
  wrongSignatures: 5,
  idle: 10 * 60_000,
  sessions: 10,
  rekeys: 10,
  silence: 10 * 60_000,
};

/** Bytes that may be buffered in either direction on one connection: clients that respect their window never reach it. */
export const MAX_BUFFERED_BYTES = 32 * 1024 * 1024;
