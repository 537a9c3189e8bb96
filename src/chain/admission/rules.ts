// Which rules admission follows where the original's behaviour is a defect.

/**
 * - `default`: what the rules are meant to be.
 * - `0.71.6`: what the public network did, defects included (reference 40, the places marked [D]). A sidecar that has
 *   to come to the network's verdicts needs these.
 *
 * They differ in: counters of the other parties of a height (3.4), forgetting after the window shrinks (3.5),
 * difficulty 256 (1.2), the expected difficulty after over-delivery (5.3), the current height in the block states
 * (5.3), and the minimum for votes in the statistics while it is raised (5.2).
 */
export type AdmissionRules = "default" | "0.71.6";
