type Texts = Record<string, string>;

/** What a job says of the release that it makes, checked when its file was read. */
interface Release extends Texts {
  tag_name: string;
  description: string;
}

/** Fields of a release that are sent as they are. */
const FIELDS = ['tag_name', 'name', 'tag_message', 'ref', 'released_at'];

/**
 * The line that makes the release of a job, by the API and with the token of the job: the shell of the job expands variables in the
 * values. It fails if there is such a release. A description that is the path of a file stands for its content. Null without a release.
 *
 * @param address URL of the releases of the project
 */
export function releaseLine(options: Record<string, unknown>, address: string): string | null {
  const { release } = options as { release?: Release & { milestones?: string[]; links?: Texts[] } };
  if (!release) return null;
  const { description, milestones = [], links = [] } = release;
  const given = [
    ...FIELDS.flatMap((key) => (release[key] === undefined ? [] : [[key, release[key]] as const])),
    ...milestones.map((title) => ['milestones[]', title] as const),
    // The name comes first: a key that repeats begins the next link.
    ...links.flatMap(({ name = '', ...link }) =>
      Object.entries({ name, ...link }).map(([key, text]) => [`assets[links][][${key}]`, text] as const),
    ),
  ];
  const data = given.map(([key, text]) => `--data-urlencode ${quoted(`${key}=${text}`)}`);
  const lines = [
    `GANTRY_RELEASE=${quoted(description)}`,
    'if [ -f "$GANTRY_RELEASE" ]; then GANTRY_RELEASE="$(cat "$GANTRY_RELEASE")"; fi',
    `curl --fail --silent --show-error --output /dev/null --header "JOB-TOKEN: $CI_JOB_TOKEN" ${data.join(' ')} --data-urlencode "description=$GANTRY_RELEASE" ${quoted(address)}`,
  ];
  return lines.join('\n');
}

/** A text for the shell, in which it expands variables and nothing else. */
function quoted(text: string): string {
  return `"${text.replace(/[\\"`]/g, '\\$&').replaceAll('$(', '\\$(')}"`;
}
