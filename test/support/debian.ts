import { tarOf } from './registry.ts';

/** The control file of a binary package. */
export function controlOf(fields: Readonly<Record<string, string>> = {}): string {
  const all = {
    ...{ Package: 'hello', Version: '1.0-1', Architecture: 'amd64', Maintainer: 'Ann <ann@example.com>' },
    ...{ Description: 'says hello\n Further text.', ...fields },
  };
  return Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('');
}

/** An archive of ar(1), as Debian packages are. */
export function arOf(members: readonly (readonly [name: string, content: Buffer])[]): Buffer {
  const parts = members.flatMap(([name, content]) => {
    const numbers = `${'0'.padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}`;
    const header = `${name.padEnd(16)}${numbers}${String(content.length).padEnd(10)}\`\n`;
    return [Buffer.from(header), content, Buffer.from(content.length % 2 ? '\n' : '')];
  });
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}

/** A binary package with this control archive. */
export function debWith(name: string, control: Buffer): Buffer {
  return arOf([
    ['debian-binary', Buffer.from('2.0\n')],
    [name, control],
    ['data.tar', Buffer.alloc(1024)],
  ]);
}

/** A binary package whose control archive is packed by gzip. */
export async function debOf(fields: Readonly<Record<string, string>> = {}): Promise<Buffer> {
  return debWith('control.tar.gz', await tarOf({ './control': controlOf(fields) }));
}
