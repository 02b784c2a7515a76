/** What the command line said: `--minutes 10 --seed 7 --anything else`. */
export interface CampaignOptions {
  /** How long the campaign runs, of the whole. */
  minutes: number;
  /** What everything random follows from. It is printed at the start, and given again to replay a run. */
  seed: number;
  /** All options by their names without dashes; '' for one without a value. */
  given: Readonly<Record<string, string>>;
  /** What stands on the line besides. */
  words: readonly string[];
}

/** A test that runs for as long as it is let. Each has a folder here with a `campaign.ts` that exports it as `campaign`. */
export interface Campaign {
  name: string;
  /** One line for the list of campaigns, with the options that it takes. */
  summary: string;
  /** Prints what it does. Returns whether nothing was found. */
  run(options: CampaignOptions): Promise<boolean>;
}

/** Options of a command line: `--name value`, `--name=value`, or `--name` alone. */
export function optionsFrom(line: readonly string[], seed: number): CampaignOptions {
  const given: Record<string, string> = {};
  const words: string[] = [];
  for (let at = 0; at < line.length; at++) {
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(line[at] ?? '') ?? [];
    const next = line[at + 1];
    if (name === undefined) words.push(line[at] ?? '');
    else if (value !== undefined) given[name] = value;
    else if (next === undefined || next.startsWith('--')) given[name] = '';
    else {
      given[name] = next;
      at++;
    }
  }
  return { minutes: numberOf('minutes', 10), seed: numberOf('seed', seed), given, words };

  function numberOf(name: string, usual: number): number {
    const value = given[name] === undefined ? usual : Number(given[name] || Number.NaN);
    if (Number.isNaN(value)) throw new Error(`--${name} takes a number`);
    return value;
  }
}
