import { closestMatch } from '#src/platform/config/closest_match.ts';

/** Variables that other parts of Gantry and its tests read, and that the server prints for shells. */
const OTHERS = ['GANTRY_IMPORT_TOKEN', 'GANTRY_LAUNCHER', 'GANTRY_TOKEN'];

/** Kubernetes sets variables for the services of a namespace, one of which may be called gantry. */
const KUBERNETES = /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/;

/**
 * A sentence for each variable that looks like a setting of Gantry but is unknown.
 *
 * @param values the variables that are set
 * @param known the names of all settings
 */
export function unknownSettings(values: NodeJS.Dict<string>, known: readonly string[]): string[] {
  return Object.entries(values)
    .filter(([name, value]) => isOurs(name) && !known.includes(name) && !isOfKubernetes(name, value))
    .map(([name]) => {
      // The prefix that all share would make any two names look alike.
      const alike = closestMatch(bare(name), known.map(bare));
      const meant = known.find((one) => bare(one) === alike);
      return `${name} is not a setting of Gantry and is ignored.${meant === undefined ? '' : ` Did you mean ${meant}?`}`;
    });
}

function bare(name: string): string {
  return name.replace(/^GANTRY_/, '');
}

function isOurs(name: string): boolean {
  return /^(GANTRY_|GRAPHQL_MAX_|GRAPHQL_TRUSTED_)/.test(name) && !OTHERS.includes(name);
}

function isOfKubernetes(name: string, value = ''): boolean {
  return KUBERNETES.test(name) || (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value));
}
