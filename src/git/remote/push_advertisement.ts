import { NO_OBJECT } from '../base/model.ts';
import { encodeName } from '../base/names.ts';
import { KEPT_REFS } from '../refs/name.ts';
import { RefReader } from '../refs/read.ts';
import { FLUSH, pktLine } from './pkt_line.ts';

/** What a push may make use of. */
const CAPABILITIES = [
  'report-status',
  'delete-refs',
  'side-band-64k',
  'quiet',
  'atomic',
  'ofs-delta',
  'push-options',
  'object-format=sha1',
  'agent=gantry',
].join(' ');

/** The advertisement before a push over HTTP: the name of the service, then pushableRefs. */
export async function pushAdvertisement(directory: string, hidden: readonly string[] = []): Promise<Buffer> {
  return Buffer.concat([pktLine('# service=git-receive-pack\n'), FLUSH, await pushableRefs(directory, hidden)]);
}

/**
 * The advertisement before a push: the refs of the repository and the capabilities of the server.
 *
 * @param hidden prefixes of refs that are hidden from the client, without a final slash
 */
export async function pushableRefs(directory: string, hidden: readonly string[] = []): Promise<Buffer> {
  const refs = (await new RefReader(directory).list('refs/')).filter(({ name }) =>
    [KEPT_REFS, ...hidden].every((prefix) => !name.startsWith(`${prefix}/`)),
  );
  const named = refs.length > 0 ? refs : [{ name: 'capabilities^{}', target: NO_OBJECT }];
  const lines = named.map(({ name, target }, at) => {
    const tail = at === 0 ? `\0${CAPABILITIES}\n` : '\n';
    return pktLine(Buffer.concat([Buffer.from(`${target} `), encodeName(name), Buffer.from(tail)]));
  });
  return Buffer.concat([...lines, FLUSH]);
}
