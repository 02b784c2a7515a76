import { provePlaces } from './places.ts';
import { projectRules } from './project-rules.ts';

await provePlaces(projectRules);
