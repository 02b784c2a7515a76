import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, lchownSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** How to run a program that refuses to run as root. */
export interface Identity {
  uid?: number;
  gid?: number;
  /** Puts the wrapper, if one is needed, in front of a command and its arguments. */
  wrap(command: string, args: string[]): [string, string[]];
}

const plain: Identity = { wrap: (command, args) => [command, args] };
const unshare: Identity = { wrap: (command, args) => ['unshare', ['--user', command, ...args]] };

/**
 * Chooses how PostgreSQL is run, and prepares its directories for that.
 *
 * Ordinary users run it as themselves. For root, a user namespace keeps the files root's own and needs no other account;
 * where that is forbidden, PostgreSQL runs as the owner of its directory or as an unprivileged account that is made the owner.
 *
 * @param cluster directory of the cluster; it need not exist
 * @param shared directories that PostgreSQL must own too (sockets); they exist
 */
export function chooseIdentity(cluster: string, shared: string[]): Identity {
  if (process.getuid?.() !== 0) return plain;
  const owner = ownerOf(cluster);
  if ((owner === undefined || owner.uid === 0) && canUnshare()) return unshare;

  const account = owner !== undefined && owner.uid !== 0 ? owner : unprivilegedAccount();
  // The account has to pass through the data directory, whose own files stay readable by root only.
  chmodSync(path.dirname(cluster), 0o711);
  for (const directory of shared) chownTree(directory, account);
  if (owner?.uid === 0) chownTree(cluster, account);
  return { ...account, wrap: plain.wrap };
}

/** Gives a directory that root made to the account that PostgreSQL runs as; nothing to do for the other identities. */
export function handOver(directory: string, identity: Identity): void {
  if (identity.uid !== undefined && identity.gid !== undefined) chownSync(directory, identity.uid, identity.gid);
}

type Account = { uid: number; gid: number };

function ownerOf(directory: string): Account | undefined {
  const stats = statSync(directory, { throwIfNoEntry: false });
  return stats && { uid: stats.uid, gid: stats.gid };
}

function canUnshare(): boolean {
  return process.platform === 'linux' && spawnSync('unshare', ['--user', 'true'], { stdio: 'ignore' }).status === 0;
}

function unprivilegedAccount(): Account {
  const accounts = new Map<string, Account>();
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':');
    if (name !== undefined && Number(uid) > 0) accounts.set(name, { uid: Number(uid), gid: Number(gid) });
  }
  return accounts.get('postgres') ?? accounts.get('node') ?? accounts.get('nobody') ?? { uid: 65534, gid: 65534 };
}

function chownTree(directory: string, account: Account): void {
  chownSync(directory, account.uid, account.gid);
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    lchownSync(path.join(entry.parentPath, entry.name), account.uid, account.gid);
  }
}
