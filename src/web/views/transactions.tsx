import { ActivityTable } from "../components/activity.tsx";
import { Heading } from "../components/panel.tsx";

export default function TransactionList() {
  return (
    <>
      <Heading title="Transactions" />
      <section class="panel">
        <ActivityTable />
      </section>
    </>
  );
}
