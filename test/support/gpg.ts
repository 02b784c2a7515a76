import { readFileSync } from 'node:fs';

interface GpgFixture {
  /** In its armor. */
  key: string;
  /** Upper-case hexadecimal digits. */
  fingerprint: string;
  email: string;
  /** The IDs of the subkeys that sign. */
  subkeys: string[];
}

/** The content of a commit, and a signature of it. */
interface SignedContent {
  content: string;
  signature: string;
}

interface GpgFixtures {
  ann: GpgFixture;
  bob: GpgFixture;
  /** The keys of both in one armor. */
  both: string;
  /** A private key. */
  secret: string;
  /** A key that was revoked, and what it was before. */
  revoked: GpgFixture & { before: string };
  signed: Record<'primary' | 'subkey' | 'otherAddress' | 'bob' | 'several' | 'revoked', SignedContent>;
}

/** Keys and signatures that GnuPG 2.2 made, for tests that need none of its programs. */
export const gpgFixtures: GpgFixtures = JSON.parse(
  readFileSync(new URL('../fixtures/gpg.json', import.meta.url), 'utf8'),
);
