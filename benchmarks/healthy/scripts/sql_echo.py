"""SQLAlchemy with echo, alembic."""
import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship
class Base(DeclarativeBase): pass
class Run(Base):
    __tablename__ = "runs"; id: Mapped[int] = mapped_column(primary_key=True); name: Mapped[str]; status: Mapped[str]
    metrics: Mapped[list["Metric"]] = relationship(back_populates="run")
class Metric(Base):
    __tablename__ = "metrics"; id: Mapped[int] = mapped_column(primary_key=True); run_id: Mapped[int] = mapped_column(sa.ForeignKey("runs.id")); key: Mapped[str]; value: Mapped[float]
    run: Mapped[Run] = relationship(back_populates="metrics")
engine = sa.create_engine("sqlite://", echo="debug"); Base.metadata.create_all(engine)
for i in range(250):
    with Session(engine) as s:
        s.add(Run(name=f"run-{i}", status="finished", metrics=[Metric(key=k, value=i * 0.1) for k in ("loss", "reward", "kl")])); s.commit()
        s.scalars(sa.select(Run).join(Run.metrics).where(Metric.value > i).order_by(Run.name)).all()
